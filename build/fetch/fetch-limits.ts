/** The bounds of fetching public sources, and of updates. Relations between them are asserted below. */
import assert from 'node:assert/strict'

/** The pauses from the end of a response to the next request. */
export const tcgcsvPauseMs = 150
export const scryfallPauseMs = 100
export const mtgjsonPauseMs = 100
export const pricechartingPauseMs = 600_000
export const redirectsMax = 5
/** Requests to a publisher in 24 hours, over all runs. */
export const sourceRequestsPerDayMax = 10_000
/** The longest response in bytes, as sent and unpacked. */
export const sourceBytesMax = 500_000_000
export const sourceUnpackedBytesMax = 5_000_000_000
/** The longest response of TCGCSV, compressed or uncompressed. */
export const tcgcsvBytesMax = 64 * 1024 * 1024
/** The longest response that is a short text. */
export const sourceTextBytesMax = 64 * 1024
/** How many times a file is requested before the run fails. */
export const sourceTriesMax = 3
/** The first delay between two tries, doubled each time. */
export const sourceRetryMsFirst = 1000
/** The first pause after a 503 or 429 without Retry-After, doubled each time. */
export const sourceBusyMsFirst = 2000
export const sourceThrottledMsFirst = 30_000
/** The longest time that a run waits in total, if the source asks for pauses. */
export const sourceWaitMsMax = 600_000
/** The longest pause that a source can ask of later runs. */
export const sourcePauseMsMax = 86_400_000
/**
 * A run may start too early, because the run before it was late. If at most this share of the source's interval is
 * left, the run waits. Otherwise it skips the day.
 */
export const sourceEarlyShareMax = 0.6
/**
 * The time between two tries of an update whose source could not be reached. It equals RestartSec= in
 * deploy/card-prices-update.service.
 */
export const updateRetryMs = 600_000
/** The longest time for which an update may be retried. */
export const updateRetriesMsMax = 12 * 3_600_000
/** A run is a retry if it begins at most this long after a run that could not reach its source. */
export const updateRetryLateMsMax = 3_600_000
/** How many times a run starts its downloads, if the source publishes new prices during the run. */
export const sourceRoundsMax = 3
/** The time between two lines of progress, if there is no terminal. */
export const fetchProgressMs = 10_000

assert(2 * updateRetryMs < updateRetryLateMsMax, 'a retry is known as one')
assert(updateRetriesMsMax < 86_400_000 * sourceEarlyShareMax, 'the run after a late one is not skipped')
