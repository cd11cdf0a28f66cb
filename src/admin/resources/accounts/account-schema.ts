// Schemas of accounts.
// Tested by test/admin/admin.test.ts
import { z } from 'zod'
import { provideLevels } from '../../../base/provide.ts'
import { time } from '../../time-schema.ts'

/** In the path of every operation on one account. */
export const accountId = z.string().min(1).max(64)

const bytesOrNull = z.int().min(0).nullable()

/** Which pins are public and announced: none; all, with their roots announced; all, with each block announced. */
export const provide = z.enum(provideLevels)

/** Limits of a whole account (null = no limit, 0 = none allowed), and which of its pins are public. */
export const accountSettings = z.strictObject({
  filesUploadBytesPerMonth: bytesOrNull,
  filesDownloadBytesPerMonth: bytesOrNull,
  filesStoredBytes: bytesOrNull,
  provide,
})

export const account = z.object({
  id: z.string(),
  name: z.string(),
  created: time,
  hasCard: z.boolean(),
  settings: accountSettings,
  /** The stored settings are damaged; `settings` are those of a new account. */
  settingsDamaged: z.literal(true).optional(),
})
