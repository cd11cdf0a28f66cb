// Public keys of ApiKeys, at most three per key: the current one, its successor, and a spare.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { findAll, findOne, toStatement, type Queries } from '../../db/queries.ts'
import type { Database } from '../../db/sqlite.ts'
import { NothingChanged, type Writer } from '../../db/writer.ts'
import { AccountsRefusal, type RefusalReason } from './accounts-refusal.ts'
import { quote } from './account-rules.ts'
import { fingerprintOf, type JwtAlgorithm, parsePublicKey } from './jwt-public-key.ts'

export type JwtPublicKey = {
  /** The `kid` of JWTs. */
  readonly id: string
  readonly name: string
  readonly algorithm: JwtAlgorithm
  /** base64 of the SHA-256 of the key's DER. */
  readonly fingerprint: string
  /** Milliseconds since 1970 UTC. */
  readonly created: number
}

/** `keyId`: of the ApiKey. Throws AccountsRefusal with a message for the caller. */
export type JwtPublicKeys = {
  /** The oldest first. */
  list(keyId: string): readonly JwtPublicKey[]
  /** `text`: PEM (SPKI) or JWK. `id`: the name that existing tokens use; generated if absent. */
  add(
    keyId: string,
    fresh: { readonly name?: string; readonly text: string; readonly id?: string },
  ): Promise<JwtPublicKey>
  /** By key ID as in a JWT. Tokens signed with it are refused from then on. */
  remove(keyId: string, id: string): Promise<void>
}

const publicKeysMax = 3
const nameCharsMax = 64
const idForm = /^[A-Za-z0-9_-]{1,64}$/

export function createJwtPublicKeys(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly queries: Queries
  readonly clock: Clock
}): JwtPublicKeys {
  const { db, writer, queries, clock } = parts

  function list(keyId: string): readonly JwtPublicKey[] {
    const rows = queries
      .selectFrom('public_key')
      .select(['id', 'name', 'algorithm', 'spki', 'created'])
      .where('key_id', '=', keyId)
      .orderBy('created')
      .orderBy('id')
    return findAll(db, rows).map(({ spki, ...rest }) => ({
      ...rest,
      fingerprint: fingerprintOf(spki),
    }))
  }

  function whyNot(keyId: string, id: string, fingerprint: string): AccountsRefusal {
    const there = findOne(db, queries.selectFrom('api_key').select('id').where('id', '=', keyId))
    if (there === null) return refusal('no_key', `no key has the id ${quote(keyId)}`)
    const same = list(keyId).find((key) => key.fingerprint === fingerprint)
    if (same !== undefined) {
      return refusal('bad_public_key', `the key has this public key already, its id is ${same.id}`)
    }
    return list(keyId).some((key) => key.id === id)
      ? refusal('bad_public_key', 'the key has another public key with this id')
      : refusal('bad_public_key', `a key has at most ${publicKeysMax} public keys: remove one`)
  }

  return {
    list,

    async add(keyId, { name = '', text, id = randomUUID() }) {
      if (!idForm.test(id)) {
        throw refusal('bad_name', "a public key's id has 1 to 64 of the characters A-Z a-z 0-9 _ -")
      }
      if (name.length > nameCharsMax) {
        throw refusal('bad_name', `a public key's name has at most ${nameCharsMax} characters`)
      }
      const { algorithm, spki } = parsePublicKey(text)
      const created = clock.now()
      const insert = queries
        .insertInto('public_key')
        .columns(['key_id', 'id', 'name', 'algorithm', 'spki', 'created'])
        .expression(
          queries
            .selectFrom('api_key as k')
            .select(({ val }) => [
              'k.id as key_id',
              val(id).as('id'),
              val(name).as('name'),
              val(algorithm).as('algorithm'),
              val(spki).as('spki'),
              val(created).as('created'),
            ])
            .where('k.id', '=', keyId)
            .where(({ eb, selectFrom }) =>
              eb(
                selectFrom('public_key as p')
                  .select(({ fn }) => fn.countAll<number>().as('number'))
                  .where('p.key_id', '=', keyId),
                '<',
                publicKeysMax,
              ),
            ),
        )
        .onConflict((conflict) => conflict.doNothing())
      const fingerprint = fingerprintOf(spki)
      try {
        await writer.write([toStatement(insert, 'change')])
      } catch (cause) {
        throw cause instanceof NothingChanged ? whyNot(keyId, id, fingerprint) : cause
      }
      return { id, name, algorithm, fingerprint, created }
    },

    async remove(keyId, id) {
      const remove = queries
        .deleteFrom('public_key')
        .where('key_id', '=', keyId)
        .where('id', '=', id)
      try {
        await writer.write([toStatement(remove, 'change')])
      } catch (cause) {
        if (!(cause instanceof NothingChanged)) throw cause
        throw refusal('no_public_key', `the key has no public key with the id ${quote(id)}`)
      }
    },
  }
}

function refusal(reason: RefusalReason, why: string): AccountsRefusal {
  return new AccountsRefusal(reason, why)
}
