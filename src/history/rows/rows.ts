/**
 * The rows of a history as JSON bytes, in AssemblyScript: the types are WebAssembly's, all else is TypeScript. V8 makes one
 * instruction of an access to this memory; of one to a typed array or a DataView at any address it makes some 14.
 *
 *   memory   days     16 bytes a day       "2026-11-20","ma                 written by JavaScript, for the days that were asked for
 *            prices   8 bytes a price      1.5░░░░ 3                        below 100 dollars, nearly all; the last byte: how long it is
 *            runs     5 numbers each       newest day, days, market, low, high, in cents; negative: not known
 *            text     the answer           rows of 50 to 80 bytes
 *
 *   row      {"date":"2026-11-20","market":1.5,"low":1.25,"high":2},
 *            └ 8 ───┘└ 16: the day's ┘└ 8 … 67: the run's, loaded once, stored once a day; what is too much is overwritten
 *
 * `npm run rows` makes ../rows.wasm of it.
 */

/** 1990-01-01 */
export const dayMin: i32 = 7305
/** Up to 2099-12-31. */
export const daysMax: i32 = 40177
export const dayBytes: i32 = 16
export const runNumbers: i32 = 5
/** `10000000.01` is the longest price. */
export const rowBytesMax: i32 = 80
/** The answer's text before its rows, and after them. */
export const aroundBytesMax: i32 = 1024

const runBytes: i32 = runNumbers * sizeof<i32>()
const preparedCents: i32 = 100_00
const priceBytes: i32 = 8
const sizeAt: i32 = 7

export const daysAt: i32 = 0
const pricesAt: i32 = daysAt + daysMax * dayBytes
export const runsAt: i32 = pricesAt + preparedCents * priceBytes
export const textAt: i32 = runsAt + daysMax * runBytes
const end: i32 = textAt + aroundBytesMax + daysMax * rowBytesMax

const pageBits: i32 = 16
memory.grow((end >> pageBits) + 1 - memory.size())
for (let cents = 0; cents < preparedCents; cents++) {
  const at = pricesAt + cents * priceBytes
  store<u8>(at, writeDigits(cents, at) - at, sizeAt)
}

// biome-ignore-start lint/correctness/noPrecisionLoss: they are no numbers of JavaScript, but have 64 bits.
// Texts as numbers, their first character in the lowest byte.
const startOfRow: u64 = 0x3a2265746164227b // {"date":
const beforeMarket: u64 = 0x20203a2274656b72 // rket":
const beforeLow: u64 = 0x203a22776f6c222c // ,"low":
const beforeHigh: u64 = 0x3a2268676968222c // ,"high":
// biome-ignore-end lint/correctness/noPrecisionLoss: as above.
const endOfRow: u16 = 0x2c7d // },
const unknown: u32 = 0x6c6c756e // null

/** Writes the rows of so many runs, of which the last is the earliest, at `at`; the position after them. */
export function writeRows(runs: i32, at: i32): i32 {
  for (let run = runsAt + (runs - 1) * runBytes; run >= runsAt; run -= runBytes) at = writeRun(run, at)
  return at
}

function writeRun(run: i32, start: i32): i32 {
  const newest = daysAt + (load<i32>(run) - dayMin) * dayBytes
  let day = newest - (load<i32>(run, 4) - 1) * dayBytes
  store<u64>(start, startOfRow)
  v128.store(start, v128.load(day), 8)
  store<u64>(start, beforeMarket, 24)
  let at = writePrice(load<i32>(run, 8), start + 30)
  store<u64>(at, beforeLow)
  at = writePrice(load<i32>(run, 12), at + 7)
  store<u64>(at, beforeHigh)
  at = writePrice(load<i32>(run, 16), at + 8)
  store<u16>(at, endOfRow)
  at += 2
  const size = at - start
  const prices = load<u64>(start, 24)
  const more = v128.load(start, 32)
  const most = v128.load(start, 48)
  while (day < newest) {
    day += dayBytes
    store<u64>(at, startOfRow)
    v128.store(at, v128.load(day), 8)
    store<u64>(at, prices, 24)
    v128.store(at, more, 32)
    v128.store(at, most, 48)
    for (let k = 64; k < size; k += 8) store<u64>(at + k, load<u64>(start + k))
    at += size
  }
  return at
}

/** As JSON.stringify(cents / 100) writes it; the position after it. */
function writePrice(cents: i32, at: i32): i32 {
  if (cents < 0) {
    store<u32>(at, unknown)
    return at + 4
  }
  if (cents >= preparedCents) return writeDigits(cents, at)
  const price = pricesAt + cents * priceBytes
  store<u64>(at, load<u64>(price))
  return at + load<u8>(price, sizeAt)
}

function writeDigits(cents: i32, start: i32): i32 {
  let whole = cents / 100
  const rest = cents % 100
  let digits = 1
  for (let bound = 10; whole >= bound; bound *= 10) digits++
  let at = start + digits
  for (let k = at - 1; k >= start; k--) {
    store<u8>(k, 0x30 + (whole % 10))
    whole /= 10
  }
  if (rest === 0) return at
  store<u8>(at++, 0x2e)
  store<u8>(at++, 0x30 + rest / 10)
  if (rest % 10 !== 0) store<u8>(at++, 0x30 + (rest % 10))
  return at
}
