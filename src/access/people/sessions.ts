// Sessions of the dashboard. Each sign-in and each change of rights creates a token; only its hash is stored, and a token from a
// client is never adopted.
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import { deleteInvitationsOfSession } from '../../tables/invitations.ts'
import {
  deleteExpiredSessions,
  deleteOldestSessions,
  deleteOwnSession,
  deleteSession,
  endCredentials,
  findSessionExpiry,
  insertSession,
  listSessions,
  setSessionToken,
} from '../../tables/sessions.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import { hashCredential } from '../accounts/api-key.ts'
import { conditionalWrite } from './conditional-write.ts'

export type Confirmations = {
  /** Records that the session's person has just authenticated with a password or a passkey. */
  confirm(sessionId: string): void
  isConfirmed(sessionId: string): boolean
}

/** How long one confirmation is valid, in milliseconds. */
export const confirmedMs = 300_000
const sessionsMax = 10_000

/** `sessionsMax`: beyond it, the session with the oldest confirmation must confirm again. */
export function createConfirmations(parts: {
  readonly clock: Clock
  readonly sessionsMax?: number
}): Confirmations {
  const { clock } = parts
  const confirmedUntil = new Map<string, number>()
  return {
    confirm: (sessionId) =>
      setNewest(
        confirmedUntil,
        sessionId,
        clock.monotonic() + confirmedMs,
        parts.sessionsMax ?? sessionsMax,
      ),
    isConfirmed: (sessionId) => clock.monotonic() < (confirmedUntil.get(sessionId) ?? -Infinity),
  }
}

/** Times are milliseconds since 1970 UTC. */
export type Session = {
  readonly id: string
  readonly created: number
  /** At most a minute late. */
  readonly lastSeen: number
  readonly expires: number
  /** The browser's User-Agent. */
  readonly agent: string
  /** Client address of the sign-in; null: addresses are not stored. */
  readonly address: string | null
}

type PasswordCheck = { readonly password: string; readonly hasCode: boolean }

/** Durable on return. Throws AccountsRefusal `no_session`. */
export type Sessions = {
  /**
   * Opens a session and returns its token for the cookie, 160 random bits as base64url, once. `credential`: the stored password
   * hash of the sign-in, and whether a code was checked; or the statement that records the use of a passkey. Returns null if it is
   * no longer valid or no longer sufficient, or the person is disabled. `strong`: a second factor was shown.
   */
  open(
    personId: string,
    from: { readonly agent: string; readonly address: string },
    credential: PasswordCheck | Statement | null,
    strong?: boolean,
  ): Promise<{ readonly token: string; readonly session: Session } | null>
  /** Creates a new token for the same session and invalidates the old one immediately. `strong`: a second factor was shown. */
  renew(id: string, strong?: boolean): Promise<{ readonly token: string; readonly expires: number }>
  /** Active sessions of one person, last used first. */
  list(personId: string): Promise<readonly Session[]>
  /** Ends one of this person's sessions, and withdraws the open invitations that were created in it. */
  end(id: string, personId: string): Promise<void>
  /** Ends a session of any person; no effect if it has ended. */
  endOne(id: string): Promise<void>
  /** Ends all sessions of a person except `keep`, and withdraws their open invitations; returns the number of sessions ended. */
  endOthers(personId: string, keep: string | null): Promise<number>
  /** Deletes expired sessions; returns their number. */
  sweep(): Promise<number>
}

export type SessionTimes = {
  /** Milliseconds without a call after which a session expires. */
  readonly idleMs: number
  /** Milliseconds after sign-in at which a session expires in any case. */
  readonly longestMs: number
}

const tokenBytes = 20
const tokenShape = /^[A-Za-z0-9_-]{27}$/
const perPersonMax = 20
const agentMax = 256

/** Does the text have the format of a session token? */
export function isSessionToken(text: string): boolean {
  return tokenShape.test(text)
}

/** `keepAddresses`: may the server store the client address of a sign-in? */
export function createSessions(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly times: () => SessionTimes
  readonly keepAddresses: () => boolean
}): Sessions {
  const { rows, clock, times, keepAddresses } = parts
  const newToken = () => randomBytes(tokenBytes).toString('base64url')

  return {
    async open(personId, { agent, address }, credential, strong = false) {
      const token = newToken()
      const now = clock.now()
      const session: Session = {
        id: randomUUID(),
        created: now,
        lastSeen: now,
        expires: now + times().longestMs,
        agent: agent.slice(0, agentMax).replaceAll(/\p{C}/gu, ' '),
        address: keepAddresses() ? address : null,
      }
      const use = credential !== null && 'sql' in credential ? credential : null
      const checked = credential !== null && 'password' in credential ? credential : null
      const statements: readonly Statement[] = [
        ...(use === null ? [] : [use]),
        insertSession(session, { personId, hash: hashCredential(token), checked, strong }),
        deleteOldestSessions(personId, session.id, perPersonMax),
      ]
      try {
        await rows.write(statements)
        return { token, session }
      } catch (error) {
        if (error instanceof NothingChanged) return null
        throw error
      }
    },

    async renew(id, strong = false) {
      const token = newToken()
      await conditionalWrite(rows, [setSessionToken(id, hashCredential(token), strong)], noSession)
      const row = await rows.first(findSessionExpiry(id))
      if (row === null) throw noSession()
      return { token, expires: row.expires }
    },

    async list(personId) {
      const now = clock.now()
      const found = await rows.find(listSessions(personId, now, now - times().idleMs))
      return found.map(({ last_seen: lastSeen, ...row }) => ({ ...row, lastSeen }))
    },

    async end(id, personId) {
      const statements = [deleteOwnSession(id, personId), deleteInvitationsOfSession(id)]
      await conditionalWrite(rows, statements, noSession)
    },

    async endOne(id) {
      await rows.write([deleteSession(id)])
    },

    async endOthers(personId, keep) {
      const [ended = 0] = await rows.write(endCredentials(personId, keep))
      return ended
    },

    async sweep() {
      const now = clock.now()
      const [ended = 0] = await rows.write([deleteExpiredSessions(now, now - times().idleMs)])
      return ended
    },
  }
}

export function noSession(): AccountsRefusal {
  return new AccountsRefusal('no_session', 'there is no such session')
}
