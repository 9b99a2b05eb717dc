/** A process of contenders for the lock of builds: each takes it so many times, for so many ms, and notes in a log when it has it. */
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockBuilds } from '../../src/indexes/publish/lock.ts'

const [indexDir, log, contenders, times, holdMs] = process.argv.slice(2) as [string, string, string, string, string]

async function contend(name: string): Promise<void> {
  for (let taken = 0; taken < Number(times); ) {
    const unlock = await lockBuilds(indexDir).catch((error: Error) => {
      if (/another build is running/.test(error.message)) return undefined
      throw error
    })
    if (unlock === undefined) continue
    appendFileSync(log, `+ ${name}\n`)
    await sleep(Number(holdMs))
    appendFileSync(log, `- ${name}\n`)
    unlock()
    taken++
  }
}

await Promise.all(Array.from({ length: Number(contenders) }, (_, i) => contend(`${process.pid}.${i}`)))
