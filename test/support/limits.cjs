/**
 * Loaded by --require into a process under test and its threads: some bounds of src/limits.ts and build/fetch/fetch-limits.ts are those of
 * TEST_LIMITS, a JSON object.
 */
const { readFileSync } = require('node:fs')
const { registerHooks } = require('node:module')
const { join } = require('node:path')

const limits = Object.entries(JSON.parse(process.env.TEST_LIMITS)).map(([name, value]) => ({
  line: new RegExp(`(?<=^export const ${name} = ).*$`, 'm'),
  name,
  value,
}))
const files = ['src/limits.ts', 'build/fetch/fetch-limits.ts']
const source = files.map((file) => readFileSync(join(__dirname, '../..', file), 'utf8')).join('')
for (const { line, name } of limits) if (!line.test(source)) throw new Error(`${files.join(' and ')} have no ${name}`)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!/\/(src\/|fetch-)limits\.[jt]s$/.test(url)) return loaded
    return {
      ...loaded,
      source: limits.reduce((text, { line, value }) => text.replace(line, value), String(loaded.source)),
    }
  },
})
