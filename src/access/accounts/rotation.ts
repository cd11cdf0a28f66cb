// Statements of a rotation: a new key now, the old one valid for an overlap. The first statement changes no row if the key is
// revoked, so that the condition and its effect are atomic.
import type { Statement } from '../../db/writer.ts'
import { endReplacedKey, insertSuccessor } from '../../tables/api-keys.ts'
import { copyPublicKeys } from '../../tables/public-keys.ts'
import { hashCredential, visiblePart } from './api-key.ts'
import type { KeySettings } from './key-settings.ts'

/** Properties of a key that its successor inherits. */
type Replaced = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly expires: number | null
  readonly settings: KeySettings
}

/** `now`: milliseconds since 1970. Three statements: the old key's expiry, the new key, its public keys. */
export function replaceKey(order: {
  readonly before: Replaced
  readonly fresh: { readonly id: string; readonly key: string; readonly secret: string }
  readonly now: number
  readonly overlapMs: number
}): readonly Statement[] {
  const { before, fresh, now, overlapMs } = order
  const expires = Math.min(now + overlapMs, before.expires ?? Infinity)
  return [
    endReplacedKey(before.id, now, overlapMs === 0 ? { revoked: now } : { expires }),
    insertSuccessor({
      id: fresh.id,
      account_id: before.accountId,
      name: before.name,
      prefix: visiblePart(fresh.key),
      key_hash: hashCredential(fresh.key),
      secret_hash: hashCredential(fresh.secret),
      created: now,
      expires: before.expires,
      settings: JSON.stringify(before.settings),
      rotated_from: before.id,
    }),
    // Public keys keep their IDs, so that signers need no change after the rotation.
    copyPublicKeys(before.id, fresh.id),
  ]
}
