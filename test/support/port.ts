/** Ports for programs that listen later than they are told their port. */
import { freePort } from '../../src/process/free-port.ts'

/** Below the range from which systems take a port for port 0. */
const range = { from: 20_000, to: 32_000 }

/** Returns a free port of 127.0.0.1 that no listener on port 0 gets meanwhile. */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = range.from + Math.floor(Math.random() * (range.to - range.from))
    const isFree = await freePort('127.0.0.1', port).then(
      () => true,
      () => false,
    )
    if (isFree) return port
  }
}
