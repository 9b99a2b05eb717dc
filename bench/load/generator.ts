/** The load generator of this machine. */
import { type Machine, pinned } from '../harness/machine.ts'
import { nodeCommand, runToEnd } from '../harness/process.ts'
import type { Generator, LoadOptions, LoadResult } from './load.ts'
import { findWrk, wrkCommand } from './wrk.ts'

/** wrk where it is installed, else the project's own. */
export function generatorFor(machine: Machine): Generator {
  const version = findWrk()
  const commandOf = version === undefined ? ownCommand : wrkCommand
  return {
    name: version ?? "the project's own (wrk is not installed)",
    run: async (options) => {
      const output = await runToEnd(pinned(machine, '1', commandOf(options)))
      const result = JSON.parse(output.trim().split('\n').at(-1)!) as LoadResult
      if (result.socketErrors > 0) throw new Error(`${result.socketErrors} connections or answers failed`)
      return result
    },
  }
}

const ownCommand = (options: LoadOptions) => nodeCommand('bench/load/own.ts', JSON.stringify(options))
