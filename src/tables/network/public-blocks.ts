// Tables `charge`, `holding` and `pin`: the blocks that public pins reach. Triggers maintain them (db/public-triggers.ts).
// Tested by src/ipfs/pins/public-blocks.test.ts
import type { Provide } from '../../base/provide.ts'
import { placeholders, query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'

/**
 * The blocks that a public pin reaches: charged to a public storage by more roots than those that are being released in steps.
 * `needsCard`: pins of accounts without a card do not count.
 */
export function findPublic(
  multihashes: readonly Uint8Array[],
  needsCard: boolean,
): Query<{ readonly hash: Uint8Array }> {
  const hasCard = `EXISTS (SELECT 1 FROM account_storage AS storage
    JOIN account ON account.id = storage.account_id AND account.card = 1 WHERE storage.id = -charge.storage / 2)`
  return query(
    `SELECT block.hash AS hash FROM block WHERE block.hash IN (${placeholders(multihashes)})
      AND EXISTS (SELECT 1 FROM charge WHERE charge.block = block.id AND charge.storage < 0
        AND charge.roots > (SELECT count(*) FROM releasing
          JOIN closure ON closure.root = releasing.root AND closure.block = block.id
          WHERE releasing.storage = charge.storage AND releasing.after < block.id)
        ${needsCard ? `AND ${hasCard}` : ''})`,
    multihashes,
  )
}

/** Fails with `NothingChanged` if the account has not pinned this exact CID. */
export function setProvideOfPin(accountId: string, cid: Uint8Array, provide: Provide): Statement {
  return {
    sql: 'UPDATE pin SET provide = ? WHERE account_id = ? AND cid = ?',
    parameters: [provide, accountId, cid],
    require: 'change',
  }
}
