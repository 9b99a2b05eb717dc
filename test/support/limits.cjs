/**
 * Loaded by --require into a process under test and its threads: some constants of modules have the values of TEST_LIMITS, a JSON object
 * by the modules' addresses, as `withLimits` makes it.
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
