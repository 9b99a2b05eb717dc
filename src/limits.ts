/**
 * The bounds of everything that a stranger can make large: requests of callers and visitors, files of publishers, lists
 * that people send.
 *
 * A security review needs only this list, and build/fetch/fetch-limits.ts for downloads from publishers. If only our
 * own code can reach a bound, the file that uses the bound defines it, unless several rooms share it. Assertions at the
 * end of this file check relations between bounds. If a change breaks a relation, the server does not start.
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
/** The highest value of the parameter `days`. The history itself has no limit. */
export const historyDaysMax = 90
export const batchIdsMax = 20
export const batchBodyBytesMax = 16 * 1024
export const matchLinesMax = 20
export const matchCandidatesMax = 5
/**
 * The HTTP library's limit of a request's first line and headers. The library rejects longer ones before the server
 * sees them.
 */
const requestHeadBytesMax = 4096
/** The highest whole number up to which JavaScript's numbers are exact. */
export const offsetMax = Number.MAX_SAFE_INTEGER

// Responses
/**
 * The longest response that is rendered. A longer one is a sign of a damaged index, and gets a 500. With 100,000 real
 * cards, the longest page has 0.3 MB.
 */
export const answerBytesMax = 16 * 1024 * 1024
/** The value of Retry-After in a 503. */
export const retrySoonSeconds = 1

// Snapshots
export const priceCentsMax = 10_000_000_00
/** The longest line of a file, without its line break. A CSV record may have several lines. */
export const lineBytesMax = 1024 * 1024
/**
 * A compressed file may unpack to this many times its size. Real files unpack to 5 to 30 times their size.
 * Every file, however small, may unpack to `unpackedBytesFree` bytes.
 */
export const unpackedTimesMax = 100
export const unpackedBytesFree = 32 * 1024 * 1024
/**
 * The first and the last valid date of a history. A period of a history ends on the newest date, so a mistyped later
 * date would move every period.
 */
export const historyDateMin = '1990-01-01'
export const historyDateMax = '2099-12-31'
/** The longest text in about.json. */
export const aboutCharsMax = 200
/** The most hosts of pictures that about.json may name. Every page with a card lists these hosts in a header. */
export const imageHostsMax = 20
export const logoBytesMax = 100 * 1024
export const problemsShownMax = 20
/** A message quotes at most this many characters of a value. */
export const quotedCharsMax = 80
/** The most characters of a card's printing, such as a finish or an edition. */
export const printingCharsMax = 60

/** The most markets of a card, besides the card's own prices. */
export const cardMarketsMax = 8

/** The highest total. The total is the number after the slash of a collector's number: 102 in `4/102`. */
export const printedTotalMax = 9999

// Index files
export const indexFileBytesMax = 2 ** 31 - 1
/** The most bytes of all files of a version together. */
export const versionBytesMax = 8 * 2 ** 30
export const manifestBytesMax = 1024 * 1024
/** The most bytes of the file `current` at INDEX_URL. */
export const pointerBytesMax = 200

// JSON of publishers
/** The largest values are sets of MTGJSON, with some 30 MB. */
export const jsonValueBytesMax = 128 * 1024 * 1024
/** The longest line of a file with one value on each line. */
export const jsonLineBytesMax = 64 * 1024 * 1024

// Games
/** A game's number has 8 bits. */
export const gamesMax = 200
/** The most characters of a game's name, and of each other word for it. */
export const gameNameCharsMax = 60
/** The most names of a game at one source, and the most further words for the game. */
export const gameWordsMax = 50

// Downloads from INDEX_URL and from publishers
/** The downloader aborts a response that brings fewer than `fetchBytesMin` bytes within `fetchMsMax`. */
export const fetchBytesMin = 64 * 1024
export const fetchMsMax = 15_000

// Sending long responses
/** The server disconnects a client that reads nothing for this long. */
export const downloadStallMsMax = 60_000

/**
 * The ports of metrics and pages (METRICS_PORT, WEB_PORT) send a response in slices of this size. Between two slices,
 * other connections get their turn.
 */
export const responseSliceBytes = 16 * 1024

// Memory of a server thread
/**
 * The most response bytes that wait in the thread's memory for a connection, not counting those in the kernel. If more
 * wait when another request arrives, the thread closes the connection.
 */
export const unsentBytesMax = 256 * 1024
/** The most unsent bytes for all connections of a thread together. Each open connection has an equal share of them. */
export const unsentThreadBytesMax = 32 * 1024 * 1024
/** If a turn of the event loop takes more CPU time than this, the thread closes connections that pipeline. */
export const turnCpuMsMax = 50
/** The size of the page cache. */
export const pagesBytesMax = 24 * 1024 * 1024

// Metrics
export const metricsConnectionsMax = 100
export const metricsHeadBytesMax = 8 * 1024
/** A request must arrive within this time. A client that reads nothing for this time is disconnected. */
export const metricsRequestMsMax = 5000

// Logs
/** The log shows at most this many characters of a request's address. */
export const loggedAddressCharsMax = 1024
/** The most bytes of log lines that a thread keeps until its log is read. The thread drops further lines. */
export const logBytesMax = 1024 * 1024
/** PIPE_BUF on Linux: a pipe accepts this much in one write, or nothing. */
export const logChunkBytesMax = 4096

// Accounts
export const accountsMax = 1_000_000
export const keysPerAccountMax = 10
/** The most keys that a store ever makes. Revoked keys count too, because no key's number is used again. */
export const keysMax = accountsMax * keysPerAccountMax
export const accountNameCharsMax = 100
export const suspensionReasonCharsMax = 500
/**
 * The most keys that a thread remembers. If it would remember more, it first forgets all of them, and looks keys up
 * again.
 */
export const keysSeenMax = 100_000
/** The store keeps this many days of usage, for bills. The command `usage` shows `usageDaysShown` of them. */
export const usageDaysKept = 400
export const usageDaysShown = 90
/** Lists of keys show a revoked or expired key for this many days. */
export const endedKeyDaysKept = 90
/** The store keeps this many days of the audit log. */
export const auditDaysKept = 400

// Pages
/** How many look-ups, and how many suggestions, an account may request within `lookUpWindowMs`. */
export const lookUpsPerMinuteMax = 60
export const suggestionsPerMinuteMax = 300
/**
 * How many look-ups, pages of cards and suggestions people without an account may request within `lookUpWindowMs`. They
 * are counted by network: an IPv4 address, or the /64 of an IPv6 address.
 */
export const strangerLookUpsPerMinuteMax = 20
export const strangerCardsPerMinuteMax = 100
export const strangerSuggestionsPerMinuteMax = 100
/** The most cards that the page of a set shows. */
export const setCardsShownMax = 5000
export const lookUpWindowMs = 60_000
/**
 * How often the people of an account may make a key on the pages in a UTC day. The same bound holds for renaming keys,
 * and for regenerating keys. Each change is an entry of the audit log, and makes all threads forget the keys that they
 * remember.
 */
export const sessionChangesPerDayMax = 100
/** The most rows that a page shows of a growing list: ended keys, accounts, entries of the audit log. */
export const pageRowsMax = 50
export const formBytesMax = 16 * 1024
/**
 * The bounds of a list that a person sends to have it valued: its bytes, its lines, the characters of a line, and its
 * lines if the person has no account.
 */
export const listBytesMax = 2 * 1024 * 1024
export const listLinesMax = 10_000
export const listLineCharsMax = 10_000
export const strangerListLinesMax = 100
/** The most candidates that the page shows for an ambiguous line of a list. */
export const lineCandidatesMax = 20
/**
 * The most candidates that the page shows for all lines of a list together. Further lines show only a few of their
 * candidates, and a link to the others.
 */
export const listCandidatesShownMax = 20_000
/** This many lines of a list count as one look-up, and as one request of the account's quota. */
export const listLinesPerLookUp = 20
/**
 * The largest form that contains a list. Such a form contains the list's text and also a file, or the list's text and
 * also a chosen card for each line. The proxies in deploy/ have the same bound.
 */
export const listFormBytesMax = 5 * 1024 * 1024
/** The most columns of a list whose meaning a person can choose. */
export const listColumnsMax = 200
/** The most fields of a form that are unknown to its page. Browser extensions add such fields, which are ignored. */
export const strayFieldsMax = 16
/**
 * The most lines, of all lists together, that the pages' thread has in memory at once. A line takes 1 to 2 KB until it
 * is valued, and the thread has 128 MB. Other lists wait.
 */
export const listLinesAtOnceMax = 2 * listLinesMax
export const listWaitMsMax = 20_000
/** The most wrong sign-in links that a network may open in a minute. The server answers further ones with 429. */
export const wrongLinksPerMinuteMax = 30
/** The most accounts and networks that one limit per minute counts. Beyond that, it forgets the oldest first. */
export const guessersMax = 10_000
/** The most bytes of a page request's first line and headers. The longest query fits. */
export const pageHeadBytesMax = 8 * 1024
export const pageConnectionsMax = 1000
/** The most bytes of all request bodies that the pages have in memory at once. */
export const bodyBytesMax = 64 * 1024 * 1024
/**
 * A request's first line and headers must arrive within `pageHeadMsMax`, and the whole request within
 * `pageRequestMsMax`. The second is long enough for a list of 2 MB over a slow line.
 */
export const pageHeadMsMax = 10_000
export const pageRequestMsMax = 30_000
/** The server disconnects a browser that reads nothing for this long. */
export const pageStallMsMax = 30_000
/** How long a stopping server waits for the pages' thread. */
export const pagesStopMsMax = 1000

// Writing counts and notifying servers
/** How long a command waits for servers to confirm its change. */
export const confirmMsMax = 3000

// Shared accounts
/**
 * If a server can't reach the shared database, it logs that at most once in this time. The same holds while it rejects
 * the shared accounts, because they are of another store, or older than its own copy.
 */
export const rejectionLogMs = 60_000

// Relations
assert(batchIdsMax * (idCharsMax + '"",'.length) < batchBodyBytesMax, 'the largest batch fits its body')
assert(
  queryCharsMax * '%F0%9F%83%8F'.length < requestHeadBytesMax,
  'the longest query is never rejected for its encoding',
)
assert(priceCentsMax < 2 ** 31 - 1, 'a price, and a step from any price to any other, takes 32 bits')
assert(2 * quotedCharsMax < lineBytesMax, 'a message that quotes a line is shorter than the longest line')
assert(indexFileBytesMax <= constants.MAX_LENGTH, 'a file fits a buffer')
assert(indexFileBytesMax < 2 ** 32, 'an offset takes 32 bits')
assert(2 * loggedAddressCharsMax < logChunkBytesMax, 'a line with the longest address is written at once')
assert(loggedAddressCharsMax > '/v1/cards/'.length + idCharsMax, "a card's longest address is logged completely")
assert(sessionChangesPerDayMax > keysPerAccountMax, 'an account can change all its keys on a day')
assert(
  pageConnectionsMax * formBytesMax + 4 * listFormBytesMax < bodyBytesMax,
  'four forms with a list fit beside all other forms',
)
assert(2 * listBytesMax + listLinesMax + formBytesMax < listFormBytesMax, 'a list fits beside a file')
assert(listBytesMax + listLinesMax * (150 + idCharsMax) < listFormBytesMax, 'a list fits with a choice for each line')
assert(keysPerAccountMax * (accountNameCharsMax * '%F0%9F%83%8F'.length) < formBytesMax, 'every form fits')
assert(keysMax < 2 ** 32, "a key's number takes 32 bits")
