/** Where the server's binaries run: asked before anything native is loaded, so that the answer is one line. */

const nodeMajors = [20, 22]

/** What is wrong with this machine, in one line; undefined if nothing is. */
export function unsupportedPlatform(): string | undefined {
  const major = Number.parseInt(process.versions.node, 10)
  const musl = process.platform === 'linux' && glibcVersion() === undefined
  if (nodeMajors.includes(major) && !musl) return undefined
  const found = musl ? 'a Linux without glibc' : `Node.js ${process.versions.node}`
  return (
    `The server's binaries cover Node.js ${nodeMajors.join(' and ')} on Linux with glibc, macOS and Windows; this is ${found}. ` +
    'Use one of those, or point the dependency "uWebSockets.js" in package.json at an upstream release that covers it: ' +
    '"github:uNetworking/uWebSockets.js#v20.56.0" or later.'
  )
}

function glibcVersion(): string | undefined {
  const report = Object.assign(process.report, { excludeNetwork: true }).getReport() as {
    header?: { glibcVersionRuntime?: string }
  }
  return report.header?.glibcVersionRuntime
}
