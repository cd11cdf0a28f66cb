// Access tokens for programs: they act as their person, with at most that person's rights. Shown once, stored as a hash, sent as
// `Authorization: Bearer` (RFC 6750).
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import { createToken, hashCredential, visiblePart } from '../accounts/api-key.ts'
import {
  deleteOldTokens,
  insertToken,
  listTokens,
  revokeToken,
  type TokenRow,
} from '../../tables/tokens.ts'
import type { Role } from './person.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Times are milliseconds since 1970 UTC. */
type Token = {
  readonly id: string
  readonly name: string
  /** The first 8 characters, for identification. */
  readonly prefix: string
  /** `member` limits an owner to the rights of a member; no value extends the rights of the person. */
  readonly role: Role
  readonly created: number
  readonly expires: number | null
  readonly revoked: number | null
  /** UTC day `2026-01-31`, or null: never used. */
  readonly lastUsedDay: string | null
}

/** `expires` absent: the default lifetime. Null: the maximum that the settings permit. */
type NewToken = {
  readonly name: string
  readonly role: Role
  readonly expires?: number | null | undefined
}

/** Durable on return. Throws AccountsRefusal: `no_token`, `bad_name`, `bad_role`, `bad_setting`, `too_many`. */
export type AccessTokens = {
  /** Returns the only copy of the text: show it now. `may`: the person's current maximum role. */
  create(
    person: { readonly id: string; readonly may: Role },
    order: NewToken,
  ): Promise<{ readonly token: Token; readonly text: string }>
  /** Tokens of one person, newest first. */
  list(personId: string): Promise<readonly Token[]>
  /** Revokes one of this person's tokens permanently. */
  revoke(id: string, personId: string): Promise<void>
}

/** Lifetimes of new tokens, in milliseconds. */
export type TokenLife = {
  /** Default lifetime, if the request names none. */
  readonly ms: number
  /** Maximum lifetime; null: none, so tokens without expiry are allowed. */
  readonly msMax: number | null
}

const nameMax = 64
/** Maximum number of valid tokens; revoked and expired ones do not count. */
const perPersonMax = 50
const ranks: Readonly<Record<Role, number>> = { member: 0, owner: 1, operator: 2 }

export function createAccessTokens(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly life: () => TokenLife
}): AccessTokens {
  const { rows, clock, life } = parts

  /** Throws AccountsRefusal `bad_setting`. */
  function expiryOf(requested: number | null | undefined, now: number): number | null {
    const { ms, msMax } = life()
    const latest = msMax === null ? null : now + msMax
    if (requested === null) return latest
    if (requested === undefined) return latest === null ? now + ms : Math.min(now + ms, latest)
    if (requested <= now) {
      const message = 'a token expires in the future, or never'
      throw new AccountsRefusal('bad_setting', message, { field: 'expires' })
    }
    // A browser computes the latest time with its own clock, which may differ by some seconds.
    if (latest !== null && requested > latest + graceMs) {
      const message = `a token expires within ${Math.round((msMax ?? 0) / dayMs)} days (setting admin.tokenDaysMax)`
      throw new AccountsRefusal('bad_setting', message, { field: 'expires' })
    }
    return latest === null ? requested : Math.min(requested, latest)
  }

  return {
    async create({ id: personId, may }, { name, role, expires }) {
      const now = clock.now()
      if (name.trim() === '' || name.length > nameMax || /\p{C}/u.test(name)) {
        throw new AccountsRefusal('bad_name', `a token's name has 1 to ${nameMax} characters`)
      }
      if (ranks[role] > ranks[may]) {
        throw new AccountsRefusal('bad_role', `a token may not be more than its person: ${may}`)
      }
      const text = createToken()
      const token: Token = {
        id: randomUUID(),
        name: name.trim(),
        prefix: visiblePart(text),
        role,
        created: now,
        expires: expiryOf(expires, now),
        revoked: null,
        lastUsedDay: null,
      }
      const order = { personId, hash: hashCredential(text), perPersonMax }
      const most = `a person has at most ${perPersonMax} tokens: revoke one`
      await conditionalWrite(
        rows,
        [insertToken(token, order), deleteOldTokens(personId, now - retainedMs)],
        () => new AccountsRefusal('too_many', most),
      )
      return { token, text }
    },

    async list(personId) {
      const found = await rows.find(listTokens(personId))
      return found.map(toToken)
    },

    async revoke(id, personId) {
      await conditionalWrite(
        rows,
        [revokeToken(id, personId, clock.now())],
        () => new AccountsRefusal('no_token', 'there is no such token, or it is revoked already'),
      )
    },
  }
}

function toToken({ last_used_day: lastUsedDay, ...row }: TokenRow): Token {
  return { ...row, lastUsedDay }
}

const dayMs = 86_400_000
const retainedMs = 90 * dayMs
const graceMs = 3_600_000
