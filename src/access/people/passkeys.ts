// Passkeys: keys in a person's authenticator, bound to the host name of this server. A signed-in person adds them, and signs in
// with them without a password. Cairn does not check the manufacturer of the authenticator. The password always remains valid.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import {
  passkeyExists,
  deletePasskey,
  insertPasskey,
  listPasskeyCredentials,
  listPasskeys,
  type PasskeyRow,
} from '../../tables/passkeys.ts'
import { endCredentials, findSessionExpiry } from '../../tables/sessions.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import {
  type PasskeyPage,
  type RegistrationResponse,
  passkeyAlgorithms,
  readChallenge,
  verifyRegistration,
} from './passkey-responses.ts'
import { challengeMs, type Challenges } from './passkey-challenges.ts'
import { noSession } from './sessions.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Times are milliseconds since 1970 UTC. */
type Passkey = {
  readonly id: string
  readonly name: string
  /** The host name for which it is valid. */
  readonly rpId: string
  readonly created: number
  /** Null: never. */
  readonly lastUsed: number | null
}

/** Creation options for the authenticator, in terms of WebAuthn Level 2, 5.4. Bytes are base64url. */
type PasskeyOrder = {
  readonly challenge: string
  /** The client must return it with the response. */
  readonly seal: string
  readonly rpId: string
  /** COSE numbers, preferred first. */
  readonly algorithms: readonly number[]
  /** The user handle of the person. */
  readonly personHandle: string
  /** The person's existing credentials for this host name. */
  readonly existing: readonly { readonly id: string; readonly transports: readonly string[] }[]
  readonly timeoutMs: number
}

type NewPasskey = RegistrationResponse & {
  readonly name: string
  readonly seal: string
  /** Transports of the authenticator: `internal`, `usb`. */
  readonly transports: readonly string[]
}

type Adder = { readonly id: string; readonly session: string }

/**
 * Durable on return. Throws AccountsRefusal: `bad_passkey`, `challenge_over`, `no_passkey`, `bad_name`, `too_many`,
 * `passkey_taken`, `no_session`.
 */
export type Passkeys = {
  /** For the person of this session; valid for five minutes. */
  begin(person: Adder, page: PasskeyPage): Promise<PasskeyOrder>
  /** Adds the passkey of the response to `begin`. */
  add(person: Adder, page: PasskeyPage, fresh: NewPasskey): Promise<Passkey>
  /** Passkeys of one person, oldest first. */
  list(personId: string): Promise<readonly Passkey[]>
  /** Removes one of this person's passkeys and ends all their sessions except `keepSession`. */
  remove(id: string, personId: string, keepSession: string | null): Promise<void>
}

const nameMax = 64
const perPersonMax = 20

export function createPasskeys(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly challenges: Challenges
}): Passkeys {
  const { rows, clock, challenges } = parts

  return {
    async begin({ id, session }, { rpId }) {
      const existing = await rows.find(listPasskeyCredentials(id, rpId))
      return {
        ...challenges.create(addedIn(session)),
        rpId,
        algorithms: passkeyAlgorithms,
        personHandle: Buffer.from(id).toString('base64url'),
        existing: existing.map(({ credential_id: credential, transports }) => ({
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
      const row = {
        id: passkey.id,
        person_id: personId,
        credential_id: credential.id,
        rp_id: rpId,
        public_key: credential.publicKey,
        sign_count: credential.signCount,
        transports: fresh.transports.join(' '),
        name,
        created: passkey.created,
      }
      await conditionalWrite(rows, [insertPasskey(row, { perPersonMax, session })], () =>
        whyNot(credential.id, session),
      )
      return passkey
    },

    async list(personId) {
      const found = await rows.find(listPasskeys(personId))
      return found.map(toPasskey)
    },

    async remove(id, personId, keepSession) {
      await conditionalWrite(
        rows,
        [deletePasskey(id, personId), ...endCredentials(personId, keepSession)],
        () =>
          new AccountsRefusal('no_passkey', 'there is no such passkey, or it is removed already'),
      )
    },
  }

  async function whyNot(credentialId: Uint8Array, session: string): Promise<AccountsRefusal> {
    // A reset has ended the session in the meantime, and must not leave a passkey behind.
    if ((await rows.first(findSessionExpiry(session))) === null) return noSession()
    return (await rows.first(passkeyExists(credentialId))) === null
      ? new AccountsRefusal('too_many', `a person has at most ${perPersonMax} passkeys: remove one`)
      : new AccountsRefusal('passkey_taken', 'this passkey is already registered')
  }
}

function toPasskey({ rp_id: rpId, last_used: lastUsed, ...row }: PasskeyRow): Passkey {
  return { ...row, rpId, lastUsed }
}

function addedIn(session: string): string {
  return `added in ${session}`
}
