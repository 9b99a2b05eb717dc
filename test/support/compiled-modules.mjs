/**
 * For --import, after tsx/esm: modules of src/ and build/ are those that `npm run compile` has left in dist/, and neither they
 * nor the packages pass through tsx, which has nothing to do for JavaScript. A test file then starts in half the time.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const project = new URL('../../', import.meta.url).href

/** The compiled one of a module of the project. @param url as it is imported */
function compiledUrl(url) {
  if (!url.startsWith(project)) return undefined
  const path = url.slice(project.length)
  if (/^dist\/.*\.js$/.test(path)) return url
  const [, module] = /^((?:src|build)\/.*)\.ts(?=$|\?)/.exec(path) ?? []
  return module === undefined ? undefined : `${project}dist/${module}.js${path.slice(module.length + '.ts'.length)}`
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const url = /^(\.|file:)/.test(specifier) ? compiledUrl(new URL(specifier, context.parentURL).href) : undefined
    return url === undefined ? nextResolve(specifier, context) : { url, format: 'module', shortCircuit: true }
  },
  load(url, context, nextLoad) {
    const isModule = context.format === 'module' && (url.startsWith(`${project}dist/`) || url.includes('/node_modules/'))
    return isModule
      ? { source: readFileSync(new URL(url)), format: 'module', shortCircuit: true }
      : nextLoad(url, context)
  },
})
