/**
 * The bounds of all that a stranger can make large: callers and visitors, the files of publishers, and lists that people send. It is the
 * one list for a review of security; build/fetch/fetch-limits.ts has those of downloads from publishers. A bound that only our own code
 * reaches stands where it is used. Names end with unit and qualifier. Relations between bounds are asserted below, so a change that
 * breaks one stops the start.
 */
import assert from 'node:assert/strict'
import { constants } from 'node:buffer'

// Requests
export const idCharsMax = 128
export const queryCharsMax = 200
export const searchLimitMax = 100
export const suggestLimitMax = 20
export const numberCharsMax = 32
export const setsLimitMax = 200
/** Of the parameter `days`. The history itself has no limit. */
export const historyDaysMax = 90
export const batchIdsMax = 20
export const batchBodyBytesMax = 16 * 1024
export const matchLinesMax = 20
export const matchCandidatesMax = 5
/** The HTTP library's bound on first line and headers. It rejects longer requests before the server sees them. */
const requestHeadBytesMax = 4096
/** Numbers are exact up to this one. */
export const offsetMax = Number.MAX_SAFE_INTEGER

// Responses
/** Retry-After of a 503. */
export const retrySoonSeconds = 1

// Snapshots
export const priceCentsMax = 10_000_000_00
/** Without the line break. A CSV record may have several lines. */
export const lineBytesMax = 1024 * 1024
/** The greatest ratio of a compressed file, beyond `unpackedBytesFree`. Real ones have 5 to 30. */
export const unpackedTimesMax = 100
export const unpackedBytesFree = 32 * 1024 * 1024
/** A mistyped date beyond these would move every window, because windows end on the newest date. */
export const historyDateMin = '1990-01-01'
export const historyDateMax = '2099-12-31'
/** The longest text in about.json. */
export const aboutCharsMax = 200
/** Hosts in about.json that pictures may come from: each is part of a header of every page with a card. */
export const imageHostsMax = 20
export const logoBytesMax = 100 * 1024
export const problemsShownMax = 20
/** How much of a value a message quotes. */
export const quotedCharsMax = 80
/** The longest finish or edition of a card. */
export const printingCharsMax = 60

/** Markets of a card besides its own prices. */
export const cardMarketsMax = 8

/** The number behind the slash of a collector's number. */
export const printedTotalMax = 9999

// Index files
export const indexFileBytesMax = 2 ** 31 - 1

// Downloads from INDEX_URL
/** A response that brings fewer bytes in this time is aborted. */
export const fetchBytesMin = 64 * 1024
export const fetchMsMax = 15_000

// Sending long responses
/** A reader that reads nothing for this long is disconnected. */
export const downloadStallMsMax = 60_000

/** How much of a response a connection of a port beside PORT gets at a time. */
export const responseSliceBytes = 16 * 1024

// Memory of a server thread
/** Unread response bytes of a connection, beyond those in the kernel, before the thread reads no more of its requests. */
export const unsentBytesMax = 256 * 1024
/** The same for all connections of a thread together; each has a share. */
export const unsentThreadBytesMax = 32 * 1024 * 1024
/** If a turn of the event loop takes more CPU time, the thread closes connections that pipeline. */
export const turnCpuMsMax = 50
/** The size of the page cache. */
export const pagesBytesMax = 24 * 1024 * 1024

// Metrics
export const metricsConnectionsMax = 100

// Logs
/** How much of a request's address is logged. */
export const loggedAddressCharsMax = 1024
/** A thread's lines that wait for their reader. */
export const logBytesMax = 1024 * 1024
/** PIPE_BUF on Linux: a pipe accepts this much in one write, or nothing. */
export const logChunkBytesMax = 4096

// Accounts
export const accountsMax = 1_000_000
export const keysPerAccountMax = 10
/** Keys ever made, including revoked ones, because their numbers are not reused. */
export const keysMax = accountsMax * keysPerAccountMax
export const accountNameCharsMax = 100
export const suspensionReasonCharsMax = 500
/** Keys that a thread remembers. Beyond it, the thread forgets all and looks them up again. */
export const keysSeenMax = 100_000
/** Days of usage: for bills, and in `usage`. */
export const usageDaysKept = 400
export const usageDaysShown = 90
/** How long a revoked or expired key is listed. */
export const endedKeyDaysKept = 90
/** Days of the audit log. */
export const auditDaysKept = 400

// Pages
export const lookUpsPerMinuteMax = 60
export const suggestionsPerMinuteMax = 300
/** The same for people without an account, by network: an IPv4 address, or an IPv6 address's /64. */
export const strangerLookUpsPerMinuteMax = 20
export const strangerSuggestionsPerMinuteMax = 100
export const lookUpWindowMs = 60_000
/** Keys that an account may make on the pages in 24 hours, so that it can't use up all key numbers. */
export const keysMadePerDayMax = 100
export const formBytesMax = 16 * 1024
/** A list to value: its bytes, and lines of an account and of a stranger. */
export const listBytesMax = 2 * 1024 * 1024
export const listLinesMax = 10_000
export const listLineCharsMax = 10_000
export const strangerListLinesMax = 100
/** Lines that count as one look-up. */
export const listLinesPerLookUp = 20
/** A form with a list: its text beside a file, or beside a choice for each line. The proxies of deploy/ have the same bound. */
export const listFormBytesMax = 5 * 1024 * 1024
/** Wrong sign-in links from one network in a minute before they get 429. */
export const wrongLinksPerMinuteMax = 30
/** Accounts and networks that are remembered for a limit a minute. */
export const guessersMax = 10_000
/** First line and headers of a request. The longest query fits. */
export const pageHeadBytesMax = 8 * 1024
export const pageConnectionsMax = 1000
/** All bodies that pages hold at once. */
export const bodyBytesMax = 64 * 1024 * 1024
/** How long a request's head may take to arrive, and all of it: a list of 2 MB over a slow line. */
export const pageHeadMsMax = 10_000
export const pageRequestMsMax = 30_000
/** A browser that reads nothing for this long is disconnected. */
export const pageStallMsMax = 30_000
/** How long a stopping server waits for the pages' thread. */
export const pagesStopMsMax = 1000

// Writing counts and notifying servers
/** How long a command waits for servers to confirm its change. */
export const confirmMsMax = 3000

// Shared accounts
/** How often a lasting rejection of the accounts' store is logged. */
export const rejectionLogMs = 60_000

// Relations
assert(batchIdsMax * (idCharsMax + '"",'.length) < batchBodyBytesMax, 'the largest batch fits its body')
assert(
  queryCharsMax * '%F0%9F%83%8F'.length < requestHeadBytesMax,
  'the longest query is never rejected for its encoding',
)
assert(priceCentsMax < 2 ** 31 - 1, 'a price, and a step from any price to any other, takes 32 bits')
assert(2 * quotedCharsMax < lineBytesMax, 'a message is shorter than the line that it is about')
assert(indexFileBytesMax <= constants.MAX_LENGTH, 'a file fits a buffer')
assert(indexFileBytesMax < 2 ** 32, 'an offset takes 32 bits')
assert(2 * loggedAddressCharsMax < logChunkBytesMax, 'a line with the longest address is written at once')
assert(loggedAddressCharsMax > '/v1/cards/'.length + idCharsMax, "a card's longest address is logged completely")
assert(keysMadePerDayMax > keysPerAccountMax, 'an account can change all its keys on a day')
assert(pageConnectionsMax * formBytesMax + 4 * listFormBytesMax < bodyBytesMax, 'forms never wait for lists')
assert(2 * listBytesMax + listLinesMax + formBytesMax < listFormBytesMax, 'a list fits beside a file')
assert(listBytesMax + listLinesMax * (150 + idCharsMax) < listFormBytesMax, 'a list fits with a choice for each line')
assert(keysPerAccountMax * (accountNameCharsMax * '%F0%9F%83%8F'.length) < formBytesMax, 'every form fits')
assert(keysMax < 2 ** 32, "a key's number takes 32 bits")
