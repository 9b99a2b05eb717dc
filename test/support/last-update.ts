import type { LastUpdate } from '../../src/last-updates.ts'

/** A successful run that found nothing new. A test overrides the fields that matter to it. */
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
