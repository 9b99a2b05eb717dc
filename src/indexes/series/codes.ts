/** A series' codes as tables, to walk over series without decoding their prices. */
import {
  codeKept,
  codeKeptExact,
  codeMoved,
  codeMovedExact,
  codeRow,
  codeSteps,
  codeStepsExact,
  codeStill,
  stepMax,
  stepOf,
} from './codec.ts'

/** By code, the kind of bytes that follow it. */
export const follows = { nothing: 0, step: 1, residuals: 2, row: 4, wrong: 8 } as const
export const afterCode = Uint8Array.from({ length: 32 }, (_, code) => {
  if (code === codeRow) return follows.row
  if (code === codeKept || code === codeMoved) return follows.step | follows.residuals
  if (code === codeKeptExact || code === codeMovedExact) return follows.step
  if (code === codeStill) return follows.residuals
  if (code < codeSteps) return follows.nothing
  return code < codeSteps + 2 * stepMax ? follows.residuals : follows.wrong
})

/** By code, the market price's step that the code contains. */
export const stepOfCode = Int8Array.from(afterCode, (next, code) => {
  if (code < codeStepsExact || next === follows.wrong) return 0
  return stepOf(code - (code < codeSteps ? codeStepsExact : codeSteps))
})
