/**
 * npm run bench:import: measures the time and memory of imports: a mirror of 120,000 products, 60 days of an archive, a
 * seller's million rows, and an AllPrices.json of 1 GB. The files are generated into a temporary folder, which is
 * removed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProgramCommand, runProgram } from '../../src/command/command.ts'
import { describe, thisMachine } from '../harness/machine.ts'
import { cpuSeconds, projectDir } from '../harness/process.ts'
import { writeMirrorAndArchive, writeMtgjson, writePricing } from './import-files.ts'

interface Sizes {
  readonly products: string
  readonly days: string
  readonly rows: string
  readonly megabytes: string
  readonly only: string
}

const watchMs = 50

interface Cost {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMegabytes: number
}

/** Runs the command; its time includes the start of the process. */
async function cost(args: readonly string[]): Promise<Cost> {
  const started = performance.now()
  const child = spawn(process.execPath, [join(projectDir, 'src/cli/main.ts'), 'import', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let peakKilobytes = 0
  let cpu = 0
  const watch = setInterval(() => {
    try {
      peakKilobytes = Number(
        /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))?.[1] ?? peakKilobytes,
      )
    } catch (error) {
      // The process has ended.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
    const now = cpuSeconds(child.pid!)
    if (!Number.isNaN(now)) cpu = now
  }, watchMs)
  const [code] = (await once(child, 'exit')) as [number]
  clearInterval(watch)
  if (code !== 0) throw new Error(`import ${args[0]} exited ${code}`)
  return { seconds: (performance.now() - started) / 1000, cpuSeconds: cpu, peakMegabytes: peakKilobytes / 1024 }
}

const reported = ({ seconds, cpuSeconds, peakMegabytes }: Cost): string =>
  `${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU), at most ${peakMegabytes.toFixed(0)} MB`

async function measure(sizes: Sizes): Promise<void> {
  const only = new Set(sizes.only.split(','))
  const folder = mkdtempSync(join(tmpdir(), 'import-bench-'))
  try {
    for (const [name, value] of Object.entries(describe(thisMachine(), {}))) console.log(`${name.padEnd(12)}${value}`)
    const out = join(folder, 'out')
    if (only.has('mirror') || only.has('archive') || only.has('pricing')) {
      const { prices, mirrorPrices } = writeMirrorAndArchive(
        folder,
        Number(sizes.products),
        only.has('archive') ? Number(sizes.days) : 0,
      )
      console.log(`\nmirror: ${sizes.products} products, ${mirrorPrices} prices`)
      console.log(`first import      ${reported(await cost(['tcgcsv', join(folder, 'mirror'), '--out', out]))}`)
      console.log(
        `a day later       ${reported(await cost(['tcgcsv', join(folder, 'mirror'), '--out', out, '--date', '2026-11-21']))}`,
      )
      if (only.has('archive')) {
        const archive = await cost(['tcgcsv-archive', join(folder, 'archive'), '--out', out])
        console.log(
          `${sizes.days} archive days   ${reported(archive)}: ${Math.round(prices / archive.seconds)} prices/s of ${prices}`,
        )
      }
    }
    if (only.has('pricing')) {
      const file = join(folder, 'pricing.csv')
      writePricing(file, out, Number(sizes.rows))
      const pricing = await cost(['tcgplayer-pricing', file, '--out', out, '--date', '2026-11-21'])
      console.log(`${sizes.rows} rows      ${reported(pricing)}`)
      writePricing(file, out, Number(sizes.rows), 'No Group')
      const report = ['--report', join(folder, 'report.json')]
      const unknown = await cost(['tcgplayer-pricing', file, '--out', out, '--date', '2026-11-21', ...report])
      console.log(`of no card        ${reported(unknown)}`)
    }
    if (only.has('mtgjson')) {
      const files = join(folder, 'mtgjson')
      mkdirSync(files)
      writeMtgjson(files, Number(sizes.megabytes) * 1e6)
      const [printings, prices] = [join(files, 'AllPrintings.json'), join(files, 'AllPrices.json')]
      console.log(`\nAllPrices.json: ${(statSync(prices).size / 1e6).toFixed(0)} MB`)
      console.log(
        `import            ${reported(await cost(['mtgjson', printings, prices, '--out', join(folder, 'magic')]))}`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const program = new ProgramCommand('npm run bench:import --', console)
  .description('Measures what an import costs, of files that it makes and removes.')
  .option('--products <N>', 'of the mirror', '120000')
  .option('--days <N>', 'of the archive', '60')
  .option('--rows <N>', "of a seller's pricing file", '1000000')
  .option('--megabytes <N>', 'of AllPrices.json', '1000')
  .option('--only <NAME,…>', 'some of the four', 'mirror,archive,pricing,mtgjson')
  .action(measure)
process.exitCode = await runProgram(program, process.argv.slice(2), console)
