/**
 * Every bound of the service, in one place. Unit and qualifier come last in a name; relations between
 * bounds are asserted below, so that a change that breaks one stops the start.
 */
import assert from 'node:assert/strict'

// What a caller may ask.
export const idCharsMax = 128
export const queryCharsMax = 200
export const searchLimitDefault = 20
export const searchLimitMax = 100
export const setsLimitDefault = 50
export const setsLimitMax = 200
export const historyDaysDefault = 30
export const historyDaysMax = 90
export const batchIdsMax = 20
export const batchBodyBytesMax = 16 * 1024

// What a snapshot may hold.
export const priceCentsMax = 10_000_000_00
/** Without the line break; of a CSV record, all of its lines. */
export const lineBytesMax = 1024 * 1024
/** A slip beyond them would move every window, which ends on the newest date. */
export const historyDateMin = '1990-01-01'
export const historyDateMax = '2099-12-31'
export const problemsShownMax = 20
/** From so many cards on, a game may not lose more than a tenth of them unasked. */
export const cardsComparedMin = 100

// What an index may hold.
/** Cards a part file covers (a power of two): the 131,072 cards of a part stay far below 2 GiB in every column. */
export const partCardsShift = 17
export const partCards = 1 << partCardsShift
export const indexFileBytesMax = 2 ** 31 - 1
/** A processor's cache line: what is waited for together. A card's record takes whole ones. */
export const lineBytes = 64
export const versionsKeptMax = 3

// What a process may have.
export const threadsMax = 256
/** Readers of the store at once, over all processes: each thread is one or two, each command is. */
export const storeReadersMax = 2048

// What a server thread may keep.
/** Pages of a list, sent before. */
export const pagesBytesMax = 16 * 1024 * 1024

// What a log may hold.
/** Of a request's address. */
export const loggedAddressCharsMax = 1024
/** A thread's lines that wait for whoever reads them. */
export const logBytesMax = 1024 * 1024

// What the accounts may hold.
export const accountsMax = 1_000_000
export const keysPerAccountMax = 10
/** Keys ever made, revoked ones among them: their numbers are not given again. */
export const keysMax = accountsMax * keysPerAccountMax
export const accountNameCharsMax = 64
/** Keys that a thread remembers; past it, it forgets them all and looks them up again. */
export const keysSeenMax = 100_000
export const storeBytesMax = 16 * 2 ** 30
export const usageDaysKept = 90

assert(searchLimitDefault <= searchLimitMax && setsLimitDefault <= setsLimitMax)
assert(historyDaysDefault <= historyDaysMax)
assert(batchIdsMax * (idCharsMax + '"",'.length) < batchBodyBytesMax, 'the largest batch fits its body')
assert(storeReadersMax >= 4 * (threadsMax + 1), 'a server and as many commands beside it can read the store')
