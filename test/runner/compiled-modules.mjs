/**
 * For --import: modules of src/ and build/ are those that `npm run compile` has left in dist/, as a package has them. V8's
 * compiled code, and the JavaScript of the tests' TypeScript, is cached from process to process.
 */
import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const project = new URL('../../', import.meta.url).href
enableCompileCache(fileURLToPath(`${project}node_modules/.cache/card-price-lookup-tests-compiled`))

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
})
