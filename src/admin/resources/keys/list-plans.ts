// `GET /plans`: named presets of a key's limits.
// Tested by test/admin/admin-keys.test.ts
import { z } from 'zod'
import { plans } from '../../../access/accounts/plans.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { planName } from './key-schema.ts'

const limit = z.int().nullable()
const input = z.strictObject({})
const output = z.object({
  plans: z.array(
    z.object({
      name: planName,
      limits: z.object({
        unitsPerDay: limit,
        unitsPerSecond: limit,
        filesReadsPerSecond: limit,
        filesWritesPerSecond: limit,
      }),
    }),
  ),
})

export const listPlans = {
  id: 'listPlans',
  method: 'GET',
  path: '/plans',
  role: 'signed-in',
  summary: 'Limits that a key may be given in one go.',
  input,
  output,
  run: () => ({
    plans: planName.options.map((name) => ({ name, limits: plans[name] })),
  }),
} satisfies JsonOperation<typeof input, typeof output>
