import type { LastUpdate } from '../../src/last-updates.ts'

/** A run of a source that succeeded and found nothing new; a test says what else is of interest. */
export const quietUpdate: LastUpdate = {
  startedAt: '',
  endedAt: '2026-11-20T07:00:00Z',
  success: true,
  error: null,
  advice: null,
  options: [],
  stamp: null,
  isNew: false,
  requests: 1,
  bytes: 0,
  counts: null,
  day: null,
  missingDays: [],
  held: [],
  imported: {},
  version: null,
}
