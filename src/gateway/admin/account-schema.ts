// How accounts look in the admin API.
// Tested by test/admin.test.ts
import { z } from 'zod'

const bytesOrNull = z.int().min(0).nullable()

/** Limits of an account as a whole; null = no limit, 0 = nothing. */
export const accountSettings = z.strictObject({
  filesUploadBytesPerMonth: bytesOrNull,
  filesDownloadBytesPerMonth: bytesOrNull,
  filesStoredBytes: bytesOrNull,
})

export const account = z.object({
  id: z.string(),
  name: z.string(),
  /** Milliseconds since 1970 UTC. */
  created: z.int(),
  hasCard: z.boolean(),
  settings: accountSettings,
})
