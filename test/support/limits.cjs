/**
 * Loaded by --require into a process under test and its threads: some bounds of src/ and build/ are those of TEST_LIMITS, a JSON object.
 * Each is a constant of a module, whose name no other module has.
 */
const { readdirSync, readFileSync } = require('node:fs')
const { registerHooks } = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

const project = join(__dirname, '../..')
const limits = Object.entries(JSON.parse(process.env.TEST_LIMITS)).map(([name, value]) => ({
  line: new RegExp(`(?<=^(?:export )?const ${name} = ).*$`, 'm'),
  name,
  value,
}))
/** By module, what is replaced in it. */
const replaced = new Map()
for (const folder of ['src', 'build']) {
  for (const file of readdirSync(join(project, folder), { recursive: true })) {
    if (!file.endsWith('.ts')) continue
    const path = join(project, folder, file)
    const source = readFileSync(path, 'utf8')
    const own = limits.filter(({ line }) => line.test(source))
    if (own.length > 0) replaced.set(pathToFileURL(path).href, own)
  }
}
const found = [...replaced.values()].flat().map(({ name }) => name)
for (const { name } of limits) {
  if (found.filter((each) => each === name).length !== 1) throw new Error(`not one module of src/ and build/ has ${name}`)
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const own = replaced.get(url.split('?')[0])
    if (own === undefined) return loaded
    return { ...loaded, source: own.reduce((text, { line, value }) => text.replace(line, value), String(loaded.source)) }
  },
})
