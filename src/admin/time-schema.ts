// Times in the input and output of the admin API.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'

/** The latest time that is a date (ECMA-262, 21.4.1.1). */
const lastTime = 8_640_000_000_000_000
/** Milliseconds since 1970 UTC. */
export const time = z.int().min(0).max(lastTime)
