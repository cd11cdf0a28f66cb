// Passkeys: keys in a person's authenticator, bound to the host name of this server. A signed-in person adds them; they sign
// in without a password. Cairn does not check the manufacturer of the authenticator. The password always remains valid.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement, Writer } from '../../db/writer.ts'
import { AccountsRefusal } from '../accounts/accounts-refusal.ts'
import { type PasskeyPage, readChallenge } from './client-data.ts'
import {
  passkeyAlgorithms,
  type RegistrationResponse,
  verifyRegistration,
} from './passkey-responses.ts'
import { challengeMs, type Challenges } from './passkey-challenges.ts'
import { endCredentials } from './people.ts'
import { noSession } from './sessions.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Times are milliseconds since 1970 UTC. */
type Passkey = {
  readonly id: string
  readonly name: string
  /** The host name that it lets in at. */
  readonly rpId: string
  readonly created: number
  /** Null: never. */
  readonly lastUsed: number | null
}

/** Request to the authenticator, in terms of WebAuthn Level 2, 5.4. Bytes are base64url. */
type PasskeyOrder = {
  readonly challenge: string
  /** Must be returned with the response. */
  readonly seal: string
  readonly rpId: string
  /** Numbers of COSE, the preferred one first. */
  readonly algorithms: readonly number[]
  /** The user handle. */
  readonly personHandle: string
  /** Credentials of the person for this name that are here already. */
  readonly known: readonly { readonly id: string; readonly transports: readonly string[] }[]
  readonly timeoutMs: number
}

type NewPasskey = RegistrationResponse & {
  readonly name: string
  readonly seal: string
  /** How the authenticator is reached: `internal`, `usb`. */
  readonly transports: readonly string[]
}

type Adder = { readonly id: string; readonly session: string }

/**
 * Durable on return. Throws AccountsRefusal: `bad_passkey`, `challenge_over`, `no_passkey`, `bad_name`, `too_many`,
 * `passkey_taken`, `no_session`.
 */
export type Passkeys = {
  /** For the person of this session; valid for five minutes. */
  begin(person: Adder, page: PasskeyPage): PasskeyOrder
  /** The answer to that. */
  add(person: Adder, page: PasskeyPage, fresh: NewPasskey): Promise<Passkey>
  /** Of one person, the oldest first. */
  list(personId: string): readonly Passkey[]
  /** One of this person's own; all their sessions but `keepSession` are ended. */
  remove(id: string, personId: string, keepSession: string | null): Promise<void>
}

const nameMax = 64
const perPersonMax = 20

export function createPasskeys(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly challenges: Challenges
}): Passkeys {
  const { db, writer, clock, challenges } = parts

  return {
    begin({ id, session }, { rpId }) {
      const sql = `SELECT credential_id AS id, transports FROM passkey
        WHERE person_id = ? AND rp_id = ?`
      return {
        ...challenges.create(addedIn(session)),
        rpId,
        algorithms: passkeyAlgorithms,
        personHandle: Buffer.from(id).toString('base64url'),
        known: db
          .all<{ id: Uint8Array; transports: string }>(sql, [id, rpId])
          .map(({ id: credential, transports }) => ({
            id: Buffer.from(credential).toString('base64url'),
            transports: transports.split(' ').filter((one) => one !== ''),
          })),
        timeoutMs: challengeMs,
      }
    },

    async add({ id: personId, session }, page, fresh) {
      const challenge = readChallenge(fresh.clientData)
      challenges.use(challenge, fresh.seal, addedIn(session))
      const name = fresh.name.trim()
      if (name === '' || name.length > nameMax || /\p{C}/u.test(name)) {
        throw new AccountsRefusal('bad_name', `a passkey's name has 1 to ${nameMax} characters`)
      }
      const credential = await verifyRegistration(fresh, challenge, page)
      const { rpId } = page
      const passkey = { id: randomUUID(), name, rpId, created: clock.now(), lastUsed: null }
      const insert: Statement = {
        sql: `INSERT INTO passkey (id, person_id, credential_id, rp_id, public_key, sign_count, transports, name,
            created)
          SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE
            NOT EXISTS (SELECT 1 FROM passkey WHERE credential_id = ?3)
            AND (SELECT count(*) FROM passkey WHERE person_id = ?2) < ${perPersonMax}
            AND EXISTS (SELECT 1 FROM session WHERE id = ?10 AND person_id = ?2)`,
        parameters: [
          passkey.id,
          personId,
          credential.id,
          rpId,
          credential.publicKey,
          credential.signCount,
          fresh.transports.join(' '),
          name,
          passkey.created,
          session,
        ],
        require: 'change',
      }
      await conditionalWrite(writer, [insert], () => whyNot(credential.id, session))
      return passkey
    },

    list(personId) {
      const sql = `SELECT id, name, rp_id AS rpId, created, last_used AS lastUsed FROM passkey
        WHERE person_id = ? ORDER BY created, id`
      return db.all<Passkey>(sql, [personId])
    },

    async remove(id, personId, keepSession) {
      const sql = 'DELETE FROM passkey WHERE id = ? AND person_id = ?'
      const statements: readonly Statement[] = [
        { sql, parameters: [id, personId], require: 'change' },
        ...endCredentials(personId, keepSession),
      ]
      await conditionalWrite(
        writer,
        statements,
        () =>
          new AccountsRefusal('no_passkey', 'there is no such passkey, or it is removed already'),
      )
    },
  }

  function whyNot(credentialId: Uint8Array, session: string): AccountsRefusal {
    // Taken away by a reset, which must not leave a passkey behind.
    if (db.getValue('SELECT 1 FROM session WHERE id = ?', [session]) === null) return noSession()
    const sql = 'SELECT 1 FROM passkey WHERE credential_id = ?'
    return db.getValue(sql, [credentialId]) === null
      ? new AccountsRefusal('too_many', `a person has at most ${perPersonMax} passkeys: remove one`)
      : new AccountsRefusal('passkey_taken', 'this passkey is already registered')
  }
}

/** All of a person. */
export function endPasskeys(personId: string): Statement {
  return { sql: 'DELETE FROM passkey WHERE person_id = ?', parameters: [personId] }
}

function addedIn(session: string): string {
  return `added in ${session}`
}
