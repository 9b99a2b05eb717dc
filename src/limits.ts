/**
 * Every bound of the service, in one place: what a caller or an operator can meet, and what two files must agree on. What
 * only one file knows of (the bits of its own format, how long a slice of work is) stays there. Unit and qualifier come
 * last in a name; relations between bounds are asserted below, so that a change that breaks one stops the start.
 */
import assert from 'node:assert/strict'
import { constants } from 'node:buffer'

// What a caller may ask.
export const idCharsMax = 128
export const queryCharsMax = 200
export const searchLimitDefault = 20
export const searchLimitMax = 100
/** What movers must have cost before and after, unless another price is asked for: pennies double every day. */
export const moverCentsDefault = 100
export const suggestLimitDefault = 10
export const suggestLimitMax = 20
export const numberCharsMax = 32
export const setsLimitDefault = 50
export const setsLimitMax = 200
export const historyDaysDefault = 30
export const historyDaysMax = 90
export const batchIdsMax = 20
export const batchBodyBytesMax = 16 * 1024
export const matchLinesMax = 20
export const matchCandidatesMax = 5
/** The HTTP library's own, of first line and headers: beyond it a request is refused before we see it. */
const requestHeadBytesMax = 4096
/** A number is exact so far. */
export const offsetMax = Number.MAX_SAFE_INTEGER

// What a caller is told.
/** Of a bad value. */
export const givenCharsShown = 80
/** When a service that can't answer right now may be asked again. */
export const retrySoonSeconds = 1

// What a snapshot may hold.
export const priceCentsMax = 10_000_000_00
/** `10000000.01`, as JSON has the longest price. */
export const priceCharsMax = String(priceCentsMax / 100).length + '.01'.length
/** Without the line break; of a CSV record, all of its lines. */
export const lineBytesMax = 1024 * 1024
/** Of blank lines on end: together they are bounded as a line is. */
export const blankBytesMax = lineBytesMax
/** A packed file holds so many times its size at most, once it holds more than `unpackedBytesFree`: real ones 5 to 30 times. */
export const unpackedTimesMax = 100
export const unpackedBytesFree = 32 * 1024 * 1024
/** A slip beyond them would move every window, which ends on the newest date. */
export const historyDateMin = '1990-01-01'
export const historyDateMax = '2099-12-31'
/** Of each text in about.json. */
export const aboutCharsMax = 200
/** Hosts in about.json that pictures may come from: each is part of a header of every page with a card. */
export const imageHostsMax = 20
export const logoBytesMax = 100 * 1024
export const problemsShownMax = 20
/** Of a value that a message quotes. */
export const quotedCharsMax = 80
/** Of the finish or edition of a card. */
export const printingCharsMax = 60
/** From so many cards on, a game is compared with that of the current version by itself. */
export const cardsComparedMin = 100
/** Of cards, and of those with a market price, so many must stay. */
export const cardsKeptPercentMin = 90
/** The middle one of all market prices may not rise, or fall, by more. */
export const marketFactorMax = 2
/** So long a build waits for another one to end. */
export const buildLockMsMax = 1000
/** A build has one a core up to so many; each takes some 60 MB. */
export const buildThreadsMax = 4

// What an index may hold.
/** Cards a part file covers (a power of two): the 131,072 cards of a part stay far below 2 GiB in every column. */
export const partCardsShift = 17
export const partCards = 1 << partCardsShift
export const indexFileBytesMax = 2 ** 31 - 1
/** A processor's cache line: what is waited for together. A card's record takes whole ones. */
export const lineBytes = 64
/** Of the 32 bits of a place, so many name the record in its part, those above the part. */
export const placeRecordBits = 25
/** One fewer than the bits can name: no place is the highest number, nor next to it. */
export const partsMax = 2 ** (32 - placeRecordBits) - 1
export const cardsMax = partsMax * partCards
/** Their numbers take 16 bits, of which the highest means none. */
export const raritiesMax = 2 ** 16 - 1
/** The same of printings. */
export const printingsMax = 2 ** 16 - 1
export const versionsKeptMax = 3

// What a process may have, and how long it waits.
export const portMax = 65_535
export const threadsMax = 256
/** A thread that failed is replaced after this long, doubled with each failure in a row up to the longest. */
export const threadRestartMsFirst = 100
export const threadRestartMsMax = 10_000
/** A thread that ran so long is no failure in a row. */
export const threadSteadyMs = 60_000
/** `indexes/current`, and the certificate's files, are looked at so often. */
export const currentLookMs = 250
/** The second of a certificate's two files is waited for. */
export const certificateSettleMs = 250
/** A balancer looks at a server's health far more often. */
export const drainSecondsMax = 3600
/** The disk of INDEX_DIR has not answered for so long: an operator is told. */
export const diskSilentMs = 10_000
/** A version that was refused is tried again after this long, doubled each time up to the longest. */
export const versionRetryMsFirst = 1000
export const versionRetryMsMax = 60_000

// How versions are fetched from INDEX_URL.
/** What is published there is asked for so often. */
export const indexUrlAskMs = 5000
export const currentBytesMax = 200
export const manifestBytesMax = 1024 * 1024
/** Files on their way at once. */
export const fetchesMax = 2
/** Of an answer, so much must come in so long, or it is broken off. */
export const fetchBytesMin = 64 * 1024
export const fetchMsMax = 15_000
/** What was broken off goes on after so long, if at least so much had come. */
export const fetchResumeMs = 500
export const fetchResumeBytesMin = 64 * 1024
/** A file is brought to the disk in such pieces: the disk is others' too. */
export const fetchSyncBytes = 8 * 1024 * 1024
export const redirectsMax = 5
/** A server that stops waits so long for what is being fetched to be left as the next try needs it. */
export const fetchStopMsMax = 2000
/** What a push on another machine has not touched for so long was left there. */
export const pushLeftMsMax = 86_400_000

// How public sources are fetched.
/** From the end of an answer to the next request. */
export const tcgcsvPauseMs = 150
export const scryfallPauseMs = 100
export const mtgjsonPauseMs = 100
export const pricechartingPauseMs = 600_000
/** In 24 hours, over all runs. */
export const sourceRequestsPerDayMax = 10_000
/** Of an answer, as it is sent and unpacked. */
export const sourceBytesMax = 500_000_000
export const sourceUnpackedBytesMax = 5_000_000_000
/** Of an answer of TCGCSV, sent or unpacked. */
export const tcgcsvBytesMax = 64 * 1024 * 1024
/** Of an answer that is a few words. */
export const sourceTextBytesMax = 64 * 1024
/** An answer that breaks off is asked for so often before the run ends, unless so much of it came that it can go on. */
export const sourceTriesMax = 3
export const sourceResumesMax = 20
/** Between two tries, doubled each time. */
export const sourceRetryMsFirst = 1000
/** A source that answers 503 or 429 without Retry-After is left alone for so long, doubled each time. */
export const sourceBusyMsFirst = 2000
export const sourceThrottledMsFirst = 30_000
/** So long a run waits for a source in all, as the source asks for it. */
export const sourceWaitMsMax = 600_000
/** A run that comes too early by no more waits instead of skipping a day: after one that came late, the next is too early. */
export const sourceEarlyMsMax = 6 * 3_600_000
/** How often a run begins anew because the source has published something newer meanwhile. */
export const sourceRoundsMax = 3
/** Without a terminal, a line of progress so often. */
export const fetchProgressMs = 10_000

// How long a process takes to end.
/** A second signal within it is the first one, handed on by npm after the terminal has sent it to everybody. */
export const sameSignalMsMax = 500
/** Where requests are timed, a wall clock that was set is followed within so long. */
export const wallClockLookMs = 50
/** So long a start that has failed waits for what it closes. */
export const startCloseMsMax = 1500
/** So long a start that is told to end may still take to serve, and then to end in order. */
export const startStopMsMax = 5000
/** So long a process may take to end by itself when all is done. */
export const processEndMsMax = 1000

// How long answers are sent.
/** At a time, of one of them. */
export const downloadSliceBytes = 64 * 1024
/** In a turn of the event loop, of all of them: half a millisecond, most of it the kernel's. */
export const downloadTurnBytesMax = 128 * 1024
/** What waits for its reader is tried again so often. */
export const downloadLookMs = 3000
/** The HTTP library's own: so long it gives an answer that it could not write whole. */
const libraryWaitMsMin = 8000
/** A reader that takes nothing for so long is gone. */
export const downloadStallMsMax = 60_000

/** Of a response on a port beside PORT, the server hands so much to a connection at a time. */
export const responsePieceBytes = 16 * 1024

// What a server thread may keep.
/** Of its answers, a connection may leave so much unread beyond what the kernel holds, and then ask on. */
export const unsentBytesMax = 256 * 1024
/** The same of all connections of a thread together: each has its share. */
export const unsentThreadBytesMax = 32 * 1024 * 1024
/** A thread that begins waits so long to learn how the library measures that. */
export const unsentLearnMsMax = 2000
/** From so much CPU time in one turn of the event loop on, a thread closes connections that pipeline. */
export const turnCpuMsMax = 50
/** That connections were closed for it, or for what they leave unread, is logged at most so often. */
export const closedLogMs = 60_000
/** Pages of a list, sent before. */
export const pagesBytesMax = 16 * 1024 * 1024

// How the service is watched.
/** A scrape waits so long for the threads, and for a count of the accounts. */
export const metricsLookMsMax = 500
/** A request for the metrics may take so long to arrive, and its answer to be read. */
export const metricsRequestMsMax = 5000
export const metricsConnectionsMax = 100
export const metricsHeadBytesMax = 8 * 1024

// What the doctor finds well.
/** It ends after so long, whatever does not answer. */
export const doctorMsMax = 12_000
/** Of one question over the network. */
export const doctorAskMsMax = 3000
/** Of the last build and the last backup: as the alerts have it. */
export const buildHoursMax = 36
export const backupHoursMax = 36
/** Until the certificate expires: fewer are a warning, and too few. */
export const certificateDaysLow = 21
export const certificateDaysMin = 3
/** Free on a disk: fewer are a warning, and too few. */
export const diskBytesLow = 2 * 1024 ** 3
export const diskBytesMin = 256 * 1024 ** 2
/** Each connection takes one. */
export const descriptorsMin = 4096

// What a log may hold.
/** Of a request's address. */
export const loggedAddressCharsMax = 1024
/** A thread's lines that wait for whoever reads them. */
export const logBytesMax = 1024 * 1024
/** What a pipe takes whole or not at all: POSIX's PIPE_BUF on Linux. */
export const logPieceBytesMax = 4096
/** A line of the access log waits so long for others to be written with. */
export const accessLogMs = 100
/** So often lines that wait are tried again. */
export const logRetryMs = 10

/** Of requests, the least that an access log can be told to hold. */
export const accessLogShareMin = 0.001

// What the accounts may hold.
export const accountsMax = 1_000_000
export const keysPerAccountMax = 10
/** Keys ever made, revoked ones among them: their numbers are not given again. */
export const keysMax = accountsMax * keysPerAccountMax
export const accountNameCharsMax = 100
export const suspensionReasonCharsMax = 500
/** Keys that a thread remembers; past it, it forgets them all and looks them up again. */
export const keysSeenMax = 100_000
/** Requests a day: for bills, and as `usage` shows them. */
export const usageDaysKept = 400
export const usageDaysShown = 90
/** Of a key after its end, revoked or expired. */
export const endedKeyDaysKept = 90
/** Entries of the audit log. */
export const auditDaysKept = 400

/** The count of accounts and keys by plan is made anew after so long, since keys expire. */
export const statisticsAgeMsMax = 60_000

// What people may do on the pages.
export const signInLinkMsMax = 15 * 60_000
/** So long a link that is no longer good can say so. */
export const signInLinkKeptMs = 7 * 86_400_000
/** A session ends so long after the last page, */
export const sessionIdleMsMax = 12 * 3_600_000
/** and so long after signing in whatever was opened. */
export const sessionMsMax = 7 * 86_400_000
/** How exactly the store knows when the last page was: a session is never shorter by it. */
export const sessionNoteMs = 60_000
export const lookUpsPerMinuteMax = 60
export const suggestionsPerMinuteMax = 300
/** The same of people without an account, by the address that they come from. */
export const strangerLookUpsPerMinuteMax = 20
export const strangerSuggestionsPerMinuteMax = 100
/** Of JSON on the pages: smaller answers are sent as they are. */
export const compressedBytesMin = 1024
export const lookUpWindowMs = 60_000
/** Keys made on the pages, by an account in 24 hours: an account must not use up all numbers that keys can have. */
export const keysMadePerDayMax = 100
/** Revoked and expired keys that a page shows. */
export const endedKeysShownMax = 50
export const formBytesMax = 16 * 1024
/** Wrong sign-in links from one address in a minute that are looked up and answered with a page. */
export const wrongLinksPerMinuteMax = 30
/** Addresses of which that is known. */
export const guessersMax = 10_000
/** Keys that were made and wait for the page that shows them. */
export const newKeysWaitingMax = 1000
export const newKeyWaitMsMax = 60_000
/** First line and headers of a request for a page: the longest query fits. */
export const pageHeadBytesMax = 8 * 1024
/** Callers of PORT need descriptors too. */
export const pageConnectionsMax = 1000
/** So long a request for a page may take to arrive. */
export const pageRequestMsMax = 10_000
/** A browser that does not take the next piece of a page within so long is disconnected. */
export const pageStallMsMax = 30_000
/** A page's own search lists so many cards at once. */
export const lookUpHitsMax = 20
/** The dashboard lists so many movers each way. */
export const moversShown = 5
/** The heap of the pages' thread, which ends at it and is started anew. */
export const pagesHeapMegabytesMax = 128
/** So long a server that stops waits for the pages' thread. */
export const pagesStopMsMax = 1000

// How long the accounts take.
/** Counts go to the store so often. */
export const flushMs = 400
/** A flush waits so long for another transaction, since the supervisor has other things to do, */
export const flushWaitMsMax = 200
/** and is tried again so soon. */
export const flushAgainMs = 50
/** Of what was counted so shortly before a kill, some may be lost. */
export const countsLostMsMax = 1000
/** A transaction waits so long for that of another thread or process. */
export const storeBusyMsMax = 5000
/** Old rows are deleted so often. */
export const retentionMs = 3_600_000
/** A command waits so long for the server to know of its change. */
export const confirmMsMax = 3000
/** A server looks so often whether a command has changed something. */
export const answerMs = 40
/** A request waits so long for the shared quota store, then it is unavailable. */
export const quotaWaitMsMax = 4000
/** Requests that wait look again so often, even if no answer is heard. */
export const quotaLookAgainMs = 100
export const quotaCommandMsMax = 1000
export const quotaReconnectMs = 200
/** A quota store that was restarted may have forgotten what it granted, and grants nothing for so long. */
export const quotaSettlingMs = 1500
/** Of the processes on a STORE_DIR that took leases, so many of the last are known. */
export const previousInstancesMax = 32

/** A stopping server waits so long for bodies, and for the quota store. */
export const drainMsMax = 5000

// How accounts are shared by servers.
/** Each server asks the accounts' store so often what has changed, whatever it hears. */
export const replicationAskMs = 250
/** Of one question. To copy all accounts takes many. */
export const replicationCommandMsMax = 1000
export const replicationReconnectMs = 200
/** A store that was started anew makes no changes for so long: servers that know more than it come and tell. */
export const replicationSettlingMs = 1500
/** A server that was frozen for so long lets nobody in until it has asked what has changed. */
export const replicationGapMsMax = 3000
/** A server that was silent for so long, and whose connection is closed, is dead. */
export const serverGoneMsMin = 3500
/** A server that was heard of within so long counts, and so do all for as long after a start of the store. */
export const serverHeardMsMax = 10_000
/** A server that has not taken its leave is forgotten after so long. */
export const serverKeptMs = 86_400_000
/** A server that counts nothing asks so often whether the accounts' store still holds what it was sent. */
export const sentLookMs = 1000
/** A server that stops waits so long for the accounts' store to have its last counts. */
export const sentStopMsMax = 500
/** What is refused for long is told so often. */
export const refusalToldMs = 60_000
/** After so many changes a new snapshot is made; a server that missed more than two times as many copies everything. */
export const replicationLogChangesMax = 2000
export const replicationLogBytesMax = 16 * 1024 * 1024
/** A server may still be reading a snapshot that has been replaced. */
export const snapshotKeptSeconds = 60
/** Of changes, in one answer of the store; one of them is always there. */
export const replicationAnswerBytesMax = 1024 * 1024

// What a caller may ask.
assert(searchLimitDefault <= searchLimitMax && setsLimitDefault <= setsLimitMax)
assert(suggestLimitDefault <= suggestLimitMax)
assert(historyDaysDefault <= historyDaysMax)
assert(batchIdsMax * (idCharsMax + '"",'.length) < batchBodyBytesMax, 'the largest batch fits its body')

assert(
  queryCharsMax * '%F0%9F%83%8F'.length < requestHeadBytesMax,
  'the longest query is never refused for its encoding',
)

// What a snapshot may hold.
assert(priceCentsMax < 2 ** 31 - 1, 'a price, and a step from any price to any other, takes 32 bits')
assert(historyDateMin < historyDateMax)
assert(cardsComparedMin * (100 - cardsKeptPercentMin) >= 100, 'a game that is compared may lose a card')
assert(2 * quotedCharsMax < lineBytesMax, 'a message is shorter than the line that it is about')

// What an index may hold.
assert(indexFileBytesMax <= constants.MAX_LENGTH, 'a file fits a buffer')
assert(indexFileBytesMax < 2 ** 32, 'an offset takes 32 bits')
assert(partCards * lineBytes <= indexFileBytesMax, "a part's records have room for a line each")
assert(2 ** placeRecordBits * lineBytes > indexFileBytesMax, 'every record of a part can be named')
assert(2 * cardsMax <= 2 ** 32, 'a posting, a name and one bit, takes 32 bits')
assert(versionsKeptMax >= 2, 'there is a version to roll back to')

// What a process may have, and how long it waits.
assert(threadRestartMsFirst <= threadRestartMsMax)
assert(threadRestartMsMax < threadSteadyMs, 'who fails again and again is never taken for steady')
assert(versionRetryMsFirst <= versionRetryMsMax)
assert(currentLookMs + certificateSettleMs <= 1000, 'a certificate is served within 2 s')
assert(currentLookMs <= versionRetryMsFirst, 'what is to be tried again is looked at in time')

// How long answers are sent.
assert(downloadSliceBytes <= downloadTurnBytesMax)
assert(2 * downloadLookMs < libraryWaitMsMin, 'who reads is known to do so before the library gives up')
assert(downloadLookMs < downloadStallMsMax)

// How versions are fetched from INDEX_URL.
assert(versionRetryMsFirst <= indexUrlAskMs, 'what is wrong is first tried again soon')

// How public sources are fetched.
assert(sourceTriesMax > 1 && sourceRetryMsFirst < sourceThrottledMsFirst)
assert(tcgcsvBytesMax < sourceBytesMax && sourceBytesMax < sourceUnpackedBytesMax)
assert(sourceThrottledMsFirst < sourceWaitMsMax)

// What the doctor finds well.
assert(doctorAskMsMax < doctorMsMax)
assert(certificateDaysMin < certificateDaysLow && diskBytesMin < diskBytesLow)

// What a log may hold.
assert(logPieceBytesMax <= logBytesMax)
assert(2 * loggedAddressCharsMax < logPieceBytesMax, 'a line with the longest address goes out whole')
assert(loggedAddressCharsMax > '/v1/cards/'.length + idCharsMax, "a card's address is read whole")

// What people may do on the pages.
assert(sessionIdleMsMax < sessionMsMax && sessionNoteMs < sessionIdleMsMax)
assert(lookUpHitsMax <= searchLimitMax && moversShown <= searchLimitMax)
assert(keysMadePerDayMax > keysPerAccountMax, 'an account can change all its keys on a day')
assert(keysPerAccountMax * (accountNameCharsMax * '%F0%9F%83%8F'.length) < formBytesMax, 'every form fits')

// What the accounts may hold.
assert(keysMax < 2 ** 32, "a key's number takes 32 bits")
assert(usageDaysShown <= usageDaysKept)
assert(2 * flushMs < countsLostMsMax, 'a disk may take as long as it takes until the next flush')
assert(
  quotaReconnectMs + quotaCommandMsMax < quotaSettlingMs,
  'meanwhile all servers are back and have told what they hold',
)
assert(
  quotaReconnectMs + quotaCommandMsMax + quotaSettlingMs < quotaWaitMsMax,
  'requests outlast a restart of the quota store',
)
assert(
  replicationReconnectMs + replicationCommandMsMax < replicationSettlingMs,
  'meanwhile all servers are back and have told what they hold',
)
assert(
  replicationAskMs < 1000 && replicationAskMs + replicationCommandMsMax < replicationGapMsMax,
  'who is not frozen is never taken for it',
)
assert(replicationGapMsMax < serverGoneMsMin, 'who is taken for dead, and was frozen, lets nobody in')
assert(serverGoneMsMin < serverHeardMsMax)
assert(quotaWaitMsMax < drainMsMax, 'a stopping server hears of all that wait for the quota store')
