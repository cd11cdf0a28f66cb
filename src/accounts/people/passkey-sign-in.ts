// Signing in with a passkey alone: what the authenticator holds names the person, and it asked for a PIN, a finger or a face.
// One answer for a passkey that nobody has, a wrong one and a disabled person; the log says nothing more.
// Tested by src/accounts/people/passkeys.test.ts
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { CoseAlgorithm } from '../../codec/cose-algorithms.ts'
import { Malformed } from '../../codec/malformed.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement } from '../../db/writer.ts'
import { AccountsRefusal } from '../accounts-refusal.ts'
import { badPasskey, type PasskeyPage, readClientData } from './client-data.ts'
import {
  checkAuthenticator,
  checkSignature,
  checkSignCount,
  type SignedAnswer,
} from './passkey-answers.ts'
import { challengeMs, type Challenges } from './passkey-challenges.ts'
import type { Session, Sessions } from './sessions.ts'
import type { From, SignInTries } from './sign-in-tries.ts'

/** What an authenticator is asked to sign. Bytes are base64url. */
type SignInOrder = {
  readonly challenge: string
  /** To come back with the answer. */
  readonly seal: string
  readonly rpId: string
  readonly timeoutMs: number
}

type PasskeyAnswer = SignedAnswer & {
  readonly seal: string
  readonly credentialId: Uint8Array
  /** Whom the authenticator says it is. */
  readonly personHandle: Uint8Array
}

export type PasskeySignIn = {
  /** Good for five minutes. */
  begin(page: PasskeyPage): SignInOrder
  /** A new session, whatever token the caller came with. Throws `bad_sign_in`, `over_rate`, `overloaded`. */
  signIn(
    answer: PasskeyAnswer,
    page: PasskeyPage,
    from: From,
  ): Promise<{
    readonly personId: string
    readonly passkeyId: string
    readonly token: string
    readonly session: Session
  }>
}

type Row = {
  readonly id: string
  readonly person_id: string
  readonly algorithm: CoseAlgorithm
  readonly spki: Uint8Array
  readonly sign_count: number
}

const use = 'signing in'

export function createPasskeySignIn(parts: {
  readonly db: Database
  readonly clock: Clock
  readonly challenges: Challenges
  readonly sessions: Sessions
  readonly tries: SignInTries
}): PasskeySignIn {
  const { db, clock, challenges, sessions, tries } = parts

  async function judge(answer: PasskeyAnswer, page: PasskeyPage) {
    const { challenge } = readClientData(answer.clientData, 'webauthn.get', page)
    const sql = `SELECT id, person_id, algorithm, spki, sign_count FROM passkey
      WHERE credential_id = ? AND rp_id = ?`
    const row = db.get<Row>(sql, [answer.credentialId, page.rpId])
    if (row === null) throw badPasskey('nobody has this passkey here')
    if (!Buffer.from(row.person_id).equals(answer.personHandle)) {
      throw badPasskey('this passkey is of somebody else')
    }
    const { decodeAuthenticatorData } = await import('../../codec/authenticator-data.ts')
    const data = decodeAuthenticatorData(answer.authenticatorData)
    checkAuthenticator(data, page)
    checkSignature(answer, row)
    // Behind the signature: who cannot sign must not use up what somebody else was asked.
    challenges.use(challenge, answer.seal, use)
    checkSignCount(data.signCount, row.sign_count)
    return { row, signCount: data.signCount }
  }

  return {
    begin: ({ rpId }) => ({ ...challenges.create(use), rpId, timeoutMs: challengeMs }),

    async signIn(answer, page, from) {
      // By the passkey, not by its person: whoever fails with their email must not keep them out here too.
      const name = `passkey ${createHash('sha256').update(answer.credentialId).digest('base64url')}`
      const noFailure = tries.begin(from.address, name)
      try {
        const { row, signCount } = await judge(answer, page)
        const opened = await sessions.open(row.person_id, from, used(row, signCount, clock.now()))
        if (opened === null) throw badPasskey('this passkey does not let in any more')
        noFailure()
        return { personId: row.person_id, passkeyId: row.id, ...opened }
      } catch (error) {
        if (!(error instanceof AccountsRefusal || error instanceof Malformed)) {
          noFailure()
          throw error
        }
        throw tries.refused(new Fault('bad_sign_in', { detail: told(error), cause: error }), from)
      }
    },
  }
}

/** With the session in one write: a passkey that was removed, or used by somebody else meanwhile, opens none. */
function used({ id }: Row, signCount: number, now: number): Statement {
  return {
    sql: `UPDATE passkey SET sign_count = ?1, last_used = ?2
      WHERE id = ?3 AND (sign_count < ?1 OR (sign_count = 0 AND ?1 = 0))`,
    parameters: [signCount, now, id],
    require: 'change',
  }
}

/** What people can do something about is said as it is. */
function told(error: AccountsRefusal | Malformed): string {
  return error instanceof AccountsRefusal && error.reason === 'challenge_over'
    ? error.message
    : 'this passkey does not let you in here: use your password'
}
