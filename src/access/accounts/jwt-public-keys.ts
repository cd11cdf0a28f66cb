// Public keys of ApiKeys, at most three per key: the current one, its successor, and a spare.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged } from '../../db/writer.ts'
import { findKeySettings } from '../../tables/api-keys.ts'
import { deletePublicKey, insertPublicKey, listPublicKeysOf } from '../../tables/public-keys.ts'
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
  list(keyId: string): Promise<readonly JwtPublicKey[]>
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
  readonly rows: Rows
  readonly clock: Clock
}): JwtPublicKeys {
  const { rows, clock } = parts

  async function list(keyId: string): Promise<readonly JwtPublicKey[]> {
    const found = await rows.find(listPublicKeysOf(keyId))
    return found.map(({ spki, ...rest }) => ({ ...rest, fingerprint: fingerprintOf(spki) }))
  }

  async function whyNot(keyId: string, id: string, fingerprint: string): Promise<AccountsRefusal> {
    if ((await rows.first(findKeySettings(keyId))) === null) {
      return refusal('no_key', `no key has the id ${quote(keyId)}`)
    }
    const there = await list(keyId)
    const same = there.find((key) => key.fingerprint === fingerprint)
    if (same !== undefined) {
      return refusal('bad_public_key', `the key has this public key already, its id is ${same.id}`)
    }
    return there.some((key) => key.id === id)
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
      const row = { key_id: keyId, id, name, algorithm, spki, created }
      const fingerprint = fingerprintOf(spki)
      try {
        await rows.write([insertPublicKey(row, publicKeysMax)])
      } catch (cause) {
        throw cause instanceof NothingChanged ? await whyNot(keyId, id, fingerprint) : cause
      }
      return { id, name, algorithm, fingerprint, created }
    },

    async remove(keyId, id) {
      try {
        await rows.write([deletePublicKey(keyId, id)])
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
