/** Others' programs from npm that some tests need: callers' tools, found on the PATH. A test without its tool is skipped by name. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const packageOf = {
  newman: 'newman',
  'openapi-ts': '@hey-api/openapi-ts',
  openapi2postmanv2: 'openapi-to-postmanv2',
  orval: 'orval',
  prism: '@stoplight/prism-cli',
} as const

export type Tool = keyof typeof packageOf

export function toolPath(tool: Tool): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, tool))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** For the option `skip` of node:test. */
export function skipWithoutTools(...tools: Tool[]): string | false {
  const missing = tools.filter((tool) => toolPath(tool) === undefined)
  const packages = missing.map((tool) => packageOf[tool]).join(' ')
  return missing.length > 0 && `needs ${missing.join(', ')}: npm install --global ${packages}`
}
