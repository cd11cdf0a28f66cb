// Sign-in with only a passkey: the authenticator names the person and has verified them by PIN, finger or face. An unknown passkey,
// an invalid response and a disabled person get the same error.
// Tested by src/access/people/passkeys.test.ts
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Rows } from '../../db/rows.ts'
import { findPasskeyCredential, usePasskey } from '../../tables/passkeys.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import {
  type AuthenticationResponse,
  type PasskeyPage,
  badPasskey,
  readChallenge,
  verifyAuthentication,
} from './passkey-responses.ts'
import { challengeMs, type Challenges } from './passkey-challenges.ts'
import type { Session, Sessions } from './sessions.ts'
import type { From, SignInAttempts } from './sign-in.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Request options for an authenticator. Bytes are base64url. */
type SignInOrder = {
  readonly challenge: string
  /** The client must return it with the response. */
  readonly seal: string
  readonly rpId: string
  readonly timeoutMs: number
}

type PasskeyAnswer = AuthenticationResponse & {
  readonly seal: string
  /** The person that the authenticator names. */
  readonly personHandle: Uint8Array
}

export type PasskeySignIn = {
  /** Valid for five minutes. `session`: the session to confirm; null: a sign-in. */
  begin(page: PasskeyPage, session: string | null): SignInOrder
  /**
   * Checks that the session's person responded with one of their passkeys. Throws `bad_sign_in`, `over_rate`, `overloaded`.
   */
  confirm(
    person: { readonly id: string; readonly session: string },
    answer: PasskeyAnswer,
    page: PasskeyPage,
    from: Pick<From, 'address'>,
  ): Promise<void>
  /** Opens a new session and ignores any earlier token. Throws `bad_sign_in`, `over_rate`, `overloaded`. */
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

/** Purpose of a challenge: a sign-in, or a confirmation of one session. */
function useOf(session: string | null): string {
  return session === null ? 'signing in' : `confirming in ${session}`
}

export function createPasskeySignIn(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly challenges: Challenges
  readonly sessions: Sessions
  readonly tries: SignInAttempts
}): PasskeySignIn {
  const { rows, clock, challenges, sessions, tries } = parts

  async function checkAnswer(answer: PasskeyAnswer, page: PasskeyPage, session: string | null) {
    const challenge = readChallenge(answer.clientData)
    const row = await rows.first(findPasskeyCredential(answer.credentialId, page.rpId))
    if (row === null) throw badPasskey('no person has this passkey here')
    if (!Buffer.from(row.person_id).equals(answer.personHandle)) {
      throw badPasskey('this passkey belongs to another person')
    }
    const stored = { publicKey: row.public_key, signCount: row.sign_count }
    const signCount = await verifyAuthentication(answer, challenge, page, stored)
    // Consume the challenge after the signature check. Otherwise an attacker could invalidate another client's challenge.
    challenges.use(challenge, answer.seal, useOf(session))
    return { row, signCount }
  }

  /** Runs `work` as one attempt with this passkey. */
  async function asAttempt<T>(
    answer: PasskeyAnswer,
    from: Pick<From, 'address'>,
    work: () => Promise<T>,
  ): Promise<T> {
    // Counted per passkey, not per person: failed attempts with the person's email must not lock out the passkey.
    const name = `passkey ${createHash('sha256').update(answer.credentialId).digest('base64url')}`
    const refund = await tries.begin(from.address, name)
    try {
      const done = await work()
      refund()
      return done
    } catch (error) {
      if (!(error instanceof AccountsRefusal)) {
        refund()
        throw error
      }
      throw tries.refused(new Fault('bad_sign_in', { detail: detailOf(error), cause: error }), from)
    }
  }

  return {
    begin: ({ rpId }, session) => ({
      ...challenges.create(useOf(session)),
      rpId,
      timeoutMs: challengeMs,
    }),

    signIn: (answer, page, from) =>
      asAttempt(answer, from, async () => {
        const { row, signCount } = await checkAnswer(answer, page, null)
        // In one transaction with the session: a passkey that was removed, or used by a concurrent request, opens none.
        const use = usePasskey(row.id, signCount, clock.now())
        const opened = await sessions.open(row.person_id, from, use, true)
        if (opened === null) throw badPasskey('this passkey is no longer valid')
        return { personId: row.person_id, passkeyId: row.id, ...opened }
      }),

    confirm: (person, answer, page, from) =>
      asAttempt(answer, from, async () => {
        const { row, signCount } = await checkAnswer(answer, page, person.session)
        if (row.person_id !== person.id) throw badPasskey('this passkey belongs to another person')
        const use = usePasskey(row.id, signCount, clock.now())
        await conditionalWrite(rows, [use], () => badPasskey('this passkey was removed'))
      }),
  }
}

/** The same text for all refusals, except for one that the person can fix. */
function detailOf(error: AccountsRefusal): string {
  return error.reason === 'challenge_over'
    ? error.message
    : 'this passkey does not let you in here: use your password'
}
