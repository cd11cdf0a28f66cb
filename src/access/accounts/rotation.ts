// Statements of a rotation: a new key or secret now, the old one valid for an overlap. The first statement changes no
// row if the key is revoked, so that the condition and its effect are atomic.
import { toStatement, type Queries } from '../../db/queries.ts'
import type { Statement } from '../../db/writer.ts'
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

/** `now`: milliseconds since 1970. Three statements: the old key's end, the new key, its public keys. */
export function replaceKey(order: {
  readonly queries: Queries
  readonly before: Replaced
  readonly fresh: { readonly id: string; readonly key: string; readonly secret: string }
  readonly now: number
  readonly overlapMs: number
}): readonly Statement[] {
  const { queries, before, fresh, now, overlapMs } = order
  const expires = Math.min(now + overlapMs, before.expires ?? Infinity)
  const ending = stillWorking(queries, before.id, now)
    .set(overlapMs === 0 ? { revoked: now } : { expires })
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('api_key as successor')
            .select('successor.id')
            .where('successor.rotated_from', '=', before.id)
            .where('successor.revoked', 'is', null),
        ),
      ),
    )
  const successor = queries.insertInto('api_key').values({
    id: fresh.id,
    account_id: before.accountId,
    name: before.name,
    prefix: visiblePart(fresh.key),
    key_hash: hashCredential(fresh.key),
    secret_hash: hashCredential(fresh.secret),
    created: now,
    expires: before.expires,
    revoked: null,
    last_used_day: null,
    settings: JSON.stringify(before.settings),
    rotated_from: before.id,
    earlier_secret_hash: null,
    earlier_secret_expires: null,
  })
  // Public keys keep their IDs, so that signers need no change after the rotation.
  const publicKeys = queries
    .insertInto('public_key')
    .columns(['key_id', 'id', 'name', 'algorithm', 'spki', 'created'])
    .expression(
      queries
        .selectFrom('public_key as p')
        .select(({ val }) => [val(fresh.id).as('key_id'), 'p.id', 'p.name', 'p.algorithm'])
        .select(['p.spki', 'p.created'])
        .where('p.key_id', '=', before.id),
    )
  return [toStatement(ending, 'change'), toStatement(successor), toStatement(publicKeys)]
}

/** The secret of now becomes the earlier one, which ends after `overlapMs`. */
export function replaceSecret(order: {
  readonly queries: Queries
  readonly id: string
  readonly secret: string
  readonly now: number
  readonly overlapMs: number
}): Statement {
  const { queries, id, secret, now, overlapMs } = order
  const update = stillWorking(queries, id, now).set(({ ref }) => ({
    earlier_secret_hash: ref('secret_hash'),
    earlier_secret_expires: now + overlapMs,
    secret_hash: hashCredential(secret),
  }))
  return toStatement(update, 'change')
}

function stillWorking(queries: Queries, id: string, now: number) {
  return queries
    .updateTable('api_key')
    .where('id', '=', id)
    .where('revoked', 'is', null)
    .where(({ or, eb }) => or([eb('expires', 'is', null), eb('expires', '>', now)]))
}
