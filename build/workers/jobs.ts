/** The jobs of a build that threads can share: what each makes ready once, and what it does with a task. */
import { CardSets, type CardsPreparation, type CompiledBlock, compileBlock, memoryOf } from '../compile/cards.ts'
import { type CardRange, HistoryMerge, type MergedSeries, type MergeInput } from '../compile/history/merge.ts'
import { type FileToRead, type ReadFiles, readFiles } from '../compile/history/read.ts'
import { type CheckedPiece, VersionCheck } from '../publish/check.ts'
import { CardIds, type IdsMemory } from '../read/card-ids.ts'
import { HistoryIds } from '../read/history/ids.ts'
import type { Block } from '../read/ndjson.ts'

/** Tells how far a task is. */
export type Report = (done: unknown) => void

interface Job<Preparation, Prepared, Task, Result> {
  /** So many tasks a thread has at once: of small ones the next lies there when it is done with one, though nobody looks. */
  readonly tasksAThread: number
  prepare(preparation: Preparation): Prepared
  run(prepared: Prepared, task: Task, report: Report): Result | Promise<Result>
  /** The memory of the result that need not be copied to another thread. */
  handsOver(result: Result): ArrayBuffer[]
}

const job = <Preparation, Prepared, Task, Result>(definition: Job<Preparation, Prepared, Task, Result>) => definition

export const jobs = {
  cards: job({
    tasksAThread: 2,
    prepare: (preparation: CardsPreparation) => new CardSets(preparation),
    run: (sets, block: Block): CompiledBlock => compileBlock(block, sets),
    handsOver: memoryOf,
  }),
  /** Prepared with the ids of all cards. */
  rows: job({
    tasksAThread: 1,
    prepare: (ids: IdsMemory) => new HistoryIds(new CardIds(ids)),
    run: (ids, files: readonly FileToRead[], report): Promise<ReadFiles> => readFiles(files, ids, report),
    handsOver: () => [],
  }),
  series: job({
    tasksAThread: 2,
    prepare: (input: MergeInput) => new HistoryMerge(input),
    run: (merge, cards: CardRange): MergedSeries => merge.merge(cards),
    handsOver: ({ series, ends, changes }) => [series.buffer, ends.buffer, changes.buffer],
  }),
  /** A task is a piece of the check, by its number. */
  check: job({
    tasksAThread: 1,
    prepare: (version: ConstructorParameters<typeof VersionCheck>[0]) => new VersionCheck(version),
    run: (version, piece: number): Promise<CheckedPiece> => version.check(piece),
    handsOver: () => [],
  }),
}

export type JobName = keyof typeof jobs
export type Preparation<Name extends JobName> = Parameters<(typeof jobs)[Name]['prepare']>[0]
export type Task<Name extends JobName> = Parameters<(typeof jobs)[Name]['run']>[1]
export type Result<Name extends JobName> = Awaited<ReturnType<(typeof jobs)[Name]['run']>>
