/**
 * All bounds of the service that a caller or an operator can reach, or on which two files must agree; build/fetch/fetch-limits.ts has
 * those of fetches and updates. A bound of a single file, such as the bits of its format, stays in that file. Names end with unit and
 * qualifier. Relations between bounds are asserted below, so a change that breaks one stops the start.
 */
import assert from 'node:assert/strict'
import { constants } from 'node:buffer'

// Requests
export const idCharsMax = 128
export const queryCharsMax = 200
export const searchLimitDefault = 20
export const searchLimitMax = 100
/** The least price of movers, before and after, unless the caller asks for another: pennies double every day. */
export const moverCentsDefault = 100
export const suggestLimitDefault = 10
export const suggestLimitMax = 20
export const numberCharsMax = 32
export const setsLimitDefault = 50
export const setsLimitMax = 200
export const historyDaysDefault = 30
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
/** `10000000.01`, the longest price in JSON. */
export const priceCharsMax = String(priceCentsMax / 100).length + '.01'.length
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
/** A game with this many cards is compared with the current version by itself. */
export const cardsComparedMin = 100
/** How many cards, and how many market prices, a new version must keep. */
export const cardsKeptPercentMin = 90
/** How much the median market price may change. */
export const marketFactorMax = 2
/** A set with this many priced cards is compared with the last import by itself, */
export const setCardsComparedMin = 20
/** how much its median market price may change, */
export const setMarketFactorMax = 5
/** and how many days' imports it stays as it was if it fails. The next one imports it as it is. */
export const setRunsHeldMax = 7
/** How long a build waits for another one. */
export const buildLockMsMax = 1000

// Index files
/** A part file has 2^17 = 131,072 cards, far below 2 GiB in every column. */
export const partCardsShift = 17
export const partCards = 1 << partCardsShift
export const indexFileBytesMax = 2 ** 31 - 1
/** A processor's cache line. A card's record is a multiple of it. */
export const lineBytes = 64
/** The low bits of a 32-bit place number the record in its part; the others number the part. */
export const placeRecordBits = 25
/** One fewer than the bits allow, so that no place is the highest number or next to it. */
export const partsMax = 2 ** (32 - placeRecordBits) - 1
export const cardsMax = partsMax * partCards
/** A rarity's number has 16 bits; the highest means none. */
export const raritiesMax = 2 ** 16 - 1
/** The same for printings. */
export const printingsMax = 2 ** 16 - 1
export const versionsKeptMax = 3

// Processes and threads
/** How often `indexes/current` and the certificate's files are polled. */
export const currentPollMs = 250
/** How long to wait for a certificate's second file. */
export const certificateSettleMs = 250
/** The delay before a rejected version is retried, doubled each time. */
export const versionRetryMsFirst = 1000
export const versionRetryMsMax = 60_000

// Downloads from INDEX_URL
/** How often the published `current` is read. */
export const indexUrlAskMs = 5000
/** A response that brings fewer bytes in this time is aborted. */
export const fetchBytesMin = 64 * 1024
export const fetchMsMax = 15_000
/** A transfer that received less before it broke off is not resumed at once. */
export const fetchResumeBytesMin = 64 * 1024

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
/** How often a thread compares its connections with the limit of descriptors. */
export const descriptorsLookMs = 250
/** How often closing connections, for this or for unread bytes, is logged. */
export const closedLogMs = 60_000
/** The size of the page cache. */
export const pagesBytesMax = 24 * 1024 * 1024

// Metrics
export const metricsConnectionsMax = 100

// card-prices doctor
/** It ends after this time, even if something does not answer. */
export const doctorMsMax = 12_000
/** For one network request. */
export const doctorAskMsMax = 3000

// Logs
/** How much of a request's address is logged. */
export const loggedAddressCharsMax = 1024
/** A thread's lines that wait for their reader. */
export const logBytesMax = 1024 * 1024
/** PIPE_BUF on Linux: a pipe accepts this much in one write, or nothing. */
export const logChunkBytesMax = 4096
/** How long a line of the access log waits for others. */
export const accessLogMs = 100
/** How often waiting lines are retried. */
export const logRetryMs = 10

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
export const signInLinkMsMax = 15 * 60_000
/** How long a used or old link is recognized. */
export const signInLinkKeptMs = 7 * 86_400_000
/** A session ends this long after the last page, */
export const sessionIdleMsMax = 12 * 3_600_000
/** and in any case this long after signing in. */
export const sessionMsMax = 7 * 86_400_000
/** The same of the operator's sessions. */
export const operatorIdleMsMax = 3_600_000
export const operatorSessionMsMax = 12 * 3_600_000
/** How often the time of a session's last page is stored; sessions are never shorter because of it. */
export const sessionNoteMs = 60_000
export const lookUpsPerMinuteMax = 60
export const suggestionsPerMinuteMax = 300
/** The same for people without an account, by network: an IPv4 address, or an IPv6 address's /64. */
export const strangerLookUpsPerMinuteMax = 20
export const strangerSuggestionsPerMinuteMax = 100
/** Smaller JSON responses of the pages are not compressed. */
export const compressedBytesMin = 1024
export const lookUpWindowMs = 60_000
/** Keys that an account may make on the pages in 24 hours, so that it can't use up all key numbers. */
export const keysMadePerDayMax = 100
/** Revoked and expired keys that a page shows. */
export const endedKeysShownMax = 50
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
/** How long a new key waits for the page that shows it. */
export const newKeyWaitMsMax = 60_000
/** First line and headers of a request. The longest query fits. */
export const pageHeadBytesMax = 8 * 1024
export const pageConnectionsMax = 1000
/** Descriptors that callers of PORT leave to pages, metrics and files. */
export const descriptorsKept = pageConnectionsMax + metricsConnectionsMax + 100
/** All bodies that pages hold at once. */
export const bodyBytesMax = 64 * 1024 * 1024
/** How long a request's head may take to arrive, and all of it: a list of 2 MB over a slow line. */
export const pageHeadMsMax = 10_000
export const pageRequestMsMax = 30_000
/** A browser that reads nothing for this long is disconnected. */
export const pageStallMsMax = 30_000
/** Cards in a page's search results. */
export const lookUpHitsMax = 20
/** Movers on the first page and the dashboard, up and down each. */
export const moversShown = 5
/** On the first page. */
export const newestSetsShown = 6
/** Cards of the same name on a card's page, in its set and in others each. */
export const samePrintingsMax = 10
/** Rarities and printings that a look-up offers. */
export const optionsShownMax = 60
/** How long a stopping server waits for the pages' thread. */
export const pagesStopMsMax = 1000

// Writing counts and notifying servers
/** How often counts are written to the store. */
export const flushMs = 400
/** How long a flush waits for another transaction before it gives up, */
export const flushWaitMsMax = 200
/** and how soon it is retried. */
export const flushAgainMs = 50
/** How long a transaction waits for another thread or process. */
export const storeBusyMsMax = 5000
/** How often old rows are deleted. */
export const retentionMs = 3_600_000
/** How long a command waits for servers to confirm its change. */
export const confirmMsMax = 3000
/** How often a server checks for notifications of commands. */
export const notificationPollMs = 40

// Shared quotas
/** How long a request waits for the quota store before it gets 503. */
export const quotaWaitMsMax = 4000
export const quotaCommandMsMax = 1000
export const quotaReconnectMs = 200
/** How long a restarted quota store grants nothing, because it may have lost leases: servers report theirs meanwhile. */
export const quotaRecoveryMs = 1500
/** Earlier processes on a STORE_DIR whose leases are remembered. */
export const previousInstancesMax = 32

/** How long a stopping server waits for bodies, and for the quota store. */
export const drainMsMax = 5000

// Shared accounts
/** How often a server sends a heartbeat and asks for changes. */
export const replicationPollMs = 250
/** For one command. Loading a snapshot takes many. */
export const replicationCommandMsMax = 1000
export const replicationReconnectMs = 200
/** How long a restarted store accepts no change: servers with later changes show up meanwhile. */
export const replicationRecoveryMs = 1500
/** A server that was frozen for this long accepts no key until its replica is up to date. */
export const replicationGapMsMax = 3000
/** A server that was silent for this long and has no connection is dead. */
export const serverGoneMsMin = 3500
/** A server with a heartbeat in this time counts as live. So do all servers for this long after the store's start. */
export const serverHeardMsMax = 10_000
/** A silent server that has not signed off is forgotten after this time. */
export const serverKeptMs = 86_400_000
/** How long a stopping server waits until the accounts' store has its last counts. */
export const sentStopMsMax = 500
/** How often a lasting rejection of the accounts' store is logged. */
export const rejectionLogMs = 60_000
/** After this many changes a new snapshot is made. A server that missed more than twice as many loads it. */
export const replicationLogChangesMax = 2000
export const replicationLogBytesMax = 16 * 1024 * 1024
/** How long a replaced snapshot stays, because a server may be loading it. */
export const snapshotKeptSeconds = 60
/** The changes in one answer; at least one change is in it. */
export const replicationAnswerBytesMax = 1024 * 1024

// Requests
assert(batchIdsMax * (idCharsMax + '"",'.length) < batchBodyBytesMax, 'the largest batch fits its body')
assert(
  queryCharsMax * '%F0%9F%83%8F'.length < requestHeadBytesMax,
  'the longest query is never rejected for its encoding',
)

// Snapshots
assert(priceCentsMax < 2 ** 31 - 1, 'a price, and a step from any price to any other, takes 32 bits')
assert(cardsComparedMin * (100 - cardsKeptPercentMin) >= 100, 'a game that is compared may lose a card')
assert(2 * quotedCharsMax < lineBytesMax, 'a message is shorter than the line that it is about')

// Index files
assert(indexFileBytesMax <= constants.MAX_LENGTH, 'a file fits a buffer')
assert(indexFileBytesMax < 2 ** 32, 'an offset takes 32 bits')
assert(partCards * lineBytes <= indexFileBytesMax, "a part's records have room for a line each")
assert(2 ** placeRecordBits * lineBytes > indexFileBytesMax, 'every record of a part can be named')
assert(2 * cardsMax <= 2 ** 32, 'a posting, a name and one bit, takes 32 bits')

// Processes and threads
assert(currentPollMs + certificateSettleMs <= 1000, 'a certificate is served within 2 s')
assert(currentPollMs <= versionRetryMsFirst, 'a poll is never later than a retry')

// Logs
assert(2 * loggedAddressCharsMax < logChunkBytesMax, 'a line with the longest address is written at once')
assert(loggedAddressCharsMax > '/v1/cards/'.length + idCharsMax, "a card's longest address is logged completely")

// Pages
assert(keysMadePerDayMax > keysPerAccountMax, 'an account can change all its keys on a day')
assert(pageConnectionsMax * formBytesMax + 4 * listFormBytesMax < bodyBytesMax, 'forms never wait for lists')
assert(2 * listBytesMax + listLinesMax + formBytesMax < listFormBytesMax, 'a list fits beside a file')
assert(listBytesMax + listLinesMax * (150 + idCharsMax) < listFormBytesMax, 'a list fits with a choice for each line')
assert(keysPerAccountMax * (accountNameCharsMax * '%F0%9F%83%8F'.length) < formBytesMax, 'every form fits')

// Accounts
assert(keysMax < 2 ** 32, "a key's number takes 32 bits")
assert(2 * flushMs < 1000, 'a kill loses counts of at most a second: a flush may take as long as the pause before it')
assert(quotaReconnectMs + quotaCommandMsMax < quotaRecoveryMs, 'all servers reconnect and report meanwhile')
assert(
  quotaReconnectMs + quotaCommandMsMax + quotaRecoveryMs < quotaWaitMsMax,
  'requests outlast a restart of the quota store',
)
assert(
  replicationReconnectMs + replicationCommandMsMax < replicationRecoveryMs,
  'all servers reconnect and report meanwhile',
)
assert(
  replicationPollMs < 1000 && replicationPollMs + replicationCommandMsMax < replicationGapMsMax,
  'a server that is not frozen never counts as frozen',
)
assert(replicationGapMsMax < serverGoneMsMin, 'a frozen server that counts as dead accepts no key')
assert(quotaWaitMsMax < drainMsMax, 'a stopping server answers all requests that wait for the quota store')
