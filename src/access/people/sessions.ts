// Sessions of the dashboard. The token is made here, at each sign-in and each change of what somebody may; only its hash
// is stored, and no token that a client brings ever becomes one.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/sqlite.ts'
import { NothingChanged, type Statement, type Writer } from '../../db/writer.ts'
import { AccountsRefusal } from '../accounts/accounts-refusal.ts'
import { hashCredential } from '../accounts/api-key.ts'
import { endCredentials } from './people.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Times are milliseconds since 1970 UTC. */
export type Session = {
  readonly id: string
  readonly created: number
  /** A minute late at most. */
  readonly lastSeen: number
  readonly expires: number
  /** What the browser calls itself. */
  readonly agent: string
  /** Where the sign-in came from; null: addresses are not kept. */
  readonly address: string | null
}

/** Durable on return. Throws AccountsRefusal `no_session`. */
export type Sessions = {
  /**
   * A new session with its token, 160 random bits as base64url: shown once, for the cookie. `judged`: by what they
   * signed in, the stored password, or what writes down the use of a passkey. Null when it is not theirs any more, or
   * they are disabled.
   */
  open(
    personId: string,
    from: { readonly agent: string; readonly address: string },
    judged: string | Statement | null,
  ): Promise<{ readonly token: string; readonly session: Session } | null>
  /** A new token for the same session; the one before is over at once. */
  renew(id: string): Promise<{ readonly token: string; readonly expires: number }>
  /** Of one person, the last seen first; without those that are over. */
  list(personId: string): readonly Session[]
  /** One of this person's own, with the open invitations that were made in it. */
  end(id: string, personId: string): Promise<void>
  /** Whosever it is; nothing when it is over already. */
  endOne(id: string): Promise<void>
  /** All of a person but `keep`, with the open invitations that were made in them; the number of sessions ended. */
  endOthers(personId: string, keep: string | null): Promise<number>
  /** Lets go of what is over; the number of those. */
  sweep(): Promise<number>
}

export type SessionTimes = {
  /** Milliseconds without a call after which a session is over. */
  readonly idleMs: number
  /** Milliseconds after sign-in at which a session is over whatever happens. */
  readonly longestMs: number
}

const tokenBytes = 20
const tokenShape = /^[A-Za-z0-9_-]{27}$/
const perPersonMax = 20
const agentMax = 256

/** Could this be the token of a session? */
export function isSessionToken(text: string): boolean {
  return tokenShape.test(text)
}

/** `keepAddresses`: may the address of a sign-in be stored? */
export function createSessions(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly times: () => SessionTimes
  readonly keepAddresses: () => boolean
}): Sessions {
  const { db, writer, clock, times, keepAddresses } = parts
  const newToken = () => randomBytes(tokenBytes).toString('base64url')

  return {
    async open(personId, { agent, address }, judged) {
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
      const isUse = typeof judged === 'object' && judged !== null
      const statements: readonly Statement[] = [
        {
          sql: `INSERT INTO session (id, person_id, token_hash, created, last_seen, expires, agent, address)
            SELECT ?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7 FROM person
            WHERE id = ?2 AND disabled IS NULL AND (?8 IS NULL OR password = ?8)`,
          parameters: [
            session.id,
            personId,
            hashCredential(token),
            now,
            session.expires,
            session.agent,
            session.address,
            isUse ? null : judged,
          ],
          require: 'change',
        },
        {
          // The one that was seen longest ago gives way.
          sql: `DELETE FROM session WHERE person_id = ?1 AND id NOT IN (SELECT id FROM session
            WHERE person_id = ?1 ORDER BY last_seen DESC, id = ?2 DESC LIMIT ${perPersonMax})`,
          parameters: [personId, session.id],
        },
      ]
      try {
        await writer.write(isUse ? [judged, ...statements] : statements)
        return { token, session }
      } catch (error) {
        if (error instanceof NothingChanged) return null
        throw error
      }
    },

    async renew(id) {
      const token = newToken()
      const sql = 'UPDATE session SET token_hash = ? WHERE id = ?'
      const parameters = [hashCredential(token), id]
      await conditionalWrite(writer, [{ sql, parameters, require: 'change' }], noSession)
      const expires = db.getValue<number>('SELECT expires FROM session WHERE id = ?', [id])
      if (expires === null) throw noSession()
      return { token, expires }
    },

    list(personId) {
      const now = clock.now()
      const sql = `SELECT id, created, last_seen AS lastSeen, expires, agent, address FROM session
        WHERE person_id = ? AND expires > ? AND last_seen > ? ORDER BY last_seen DESC, id`
      return db.all<Session>(sql, [personId, now, now - times().idleMs])
    },

    async end(id, personId) {
      const sql = 'DELETE FROM session WHERE id = ? AND person_id = ?'
      const withdraw = 'DELETE FROM invitation WHERE session_id = ? AND used IS NULL'
      await conditionalWrite(
        writer,
        [
          { sql, parameters: [id, personId], require: 'change' },
          { sql: withdraw, parameters: [id] },
        ],
        noSession,
      )
    },

    async endOne(id) {
      await writer.write([{ sql: 'DELETE FROM session WHERE id = ?', parameters: [id] }])
    },

    async endOthers(personId, keep) {
      const [ended = 0] = await writer.write(endCredentials(personId, keep))
      return ended
    },

    async sweep() {
      const now = clock.now()
      const sql = 'DELETE FROM session WHERE expires <= ? OR last_seen <= ?'
      const [ended = 0] = await writer.write([{ sql, parameters: [now, now - times().idleMs] }])
      return ended
    },
  }
}

export function noSession(): AccountsRefusal {
  return new AccountsRefusal('no_session', 'there is no such session')
}
