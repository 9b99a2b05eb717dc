/**
 * --require loads this into a process under test and its threads. It replaces constants by the values in TEST_LIMITS,
 * which `withLimits` makes: a JSON object, by the modules' URLs.
 */
const { registerHooks } = require('node:module')

const limits = new Map(Object.entries(JSON.parse(process.env.TEST_LIMITS)))

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const own = limits.get(url.split('?')[0])
    if (own === undefined) return loaded
    const source = own.reduce(
      (text, [name, value]) => text.replace(new RegExp(`(?<=^(?:export )?const ${name} = ).*$`, 'm'), value),
      String(loaded.source),
    )
    return { ...loaded, source }
  },
})
