// Limits the number of keys of an account (setting `keys.perAccountMax`).
// Tested by test/admin/admin-keys.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import { countKeys } from '../../tables/api-keys.ts'
import { AccountsRefusal } from './account-rules.ts'
import { createKeyedQueue } from '../../base/keyed-queue.ts'

/** Revoked and expired keys remain in the database, and each rotation creates another, so their number is limited too. */
const allPerWorking = 10

/** Maximum number of queued creations, over all accounts. */
const queuedMax = 1000

export type KeyLimit = {
  /**
   * Runs `create`, which writes one key; runs for the same account are serial. `ends`: a valid key ends with it. Throws `too_many` if
   * the account has the maximum of valid keys, or ten times as many in total; `overloaded`.
   */
  createWithinLimit<Created>(
    order: { accountId: string; ends: boolean },
    create: () => Promise<Created>,
  ): Promise<Created>
}

export function createKeyLimit(parts: {
  readonly rows: Pick<Rows, 'first'>
  readonly clock: Clock
  /** Maximum number of valid keys. */
  readonly most: () => number
}): KeyLimit {
  const { rows, clock } = parts
  const creations = createKeyedQueue(queuedMax)

  async function check(accountId: string, ends: boolean): Promise<void> {
    const most = parts.most()
    const counts = (await rows.first(countKeys(accountId, clock.now()))) ?? { held: 0, working: 0 }
    if (counts.working + (ends ? 0 : 1) > most) {
      const why = `an account has at most ${most} keys that work (setting keys.perAccountMax): revoke one, or ask an operator`
      throw new AccountsRefusal('too_many', why)
    }
    if (counts.held >= most * allPerWorking) {
      const why = `an account has at most ${most * allPerWorking} keys, revoked ones included (ten times the setting keys.perAccountMax): ask an operator`
      throw new AccountsRefusal('too_many', why)
    }
  }

  return {
    createWithinLimit: async ({ accountId, ends }, create) =>
      await creations.run(accountId, async () => {
        await check(accountId, ends)
        return await create()
      }),
  }
}
