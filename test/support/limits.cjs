/** Loaded by --require into a process under test and its threads: some bounds of src/limits.ts are those of TEST_LIMITS, a JSON object. */
const { registerHooks } = require('node:module')

const limits = Object.entries(JSON.parse(process.env.TEST_LIMITS))

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!/\/src\/limits\.[jt]s$/.test(url)) return loaded
    const source = limits.reduce((text, [name, value]) => {
      const changed = text.replace(new RegExp(`(?<=^export const ${name} = ).*$`, 'm'), value)
      if (changed === text) throw new Error(`src/limits.ts has no ${name}, or it is ${value} already`)
      return changed
    }, String(loaded.source))
    return { ...loaded, source }
  },
})
