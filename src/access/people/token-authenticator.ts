// Resolves a session token or access token to its person. Cached until rights change: triggers increment
// `revision.people`, which is read at each call, so a change of rights applies to the next request.
// Tested by src/access/people/sessions.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Database } from '../../db/sqlite.ts'
import type { SqlValue, Writer } from '../../db/writer.ts'
import { checkToken, hashCredential, hashToHex } from '../accounts/api-key.ts'
import {
  type AccountRole,
  type Person,
  personColumns,
  type PersonRow,
  type Role,
  toPerson,
} from './person.ts'
import { isSessionToken, type SessionTimes } from './sessions.ts'

/** An authenticated person, and the rights of the session or token. */
type SignedIn = {
  readonly person: Person
  /** By account id. */
  readonly roles: ReadonlyMap<string, AccountRole>
  /** False too for an operator's token of a lesser role. */
  readonly isOperator: boolean
  readonly by: { readonly kind: 'session' | 'token'; readonly id: string }
}

/** Null: unknown or expired session or token, or a disabled person. */
export type TokenAuthenticator = {
  /** Counts as being seen. */
  findSession(token: string): SignedIn | null
  findToken(token: string): SignedIn | null
}

type Entry = {
  readonly signedIn: SignedIn
  readonly expires: number | null
  lastSeen: number
  /** As it is stored. */
  writtenSeen: number
  usedDay: string | null
}

type EntryRow = PersonRow & {
  readonly entry_id: string
  readonly expires: number | null
  readonly last_seen: number
  readonly used_day: string | null
  readonly role: Role
}

const revisionSql = `SELECT number FROM revision WHERE name = 'people'`
const sessionSql = `SELECT ${personColumns}, s.id AS entry_id, s.expires, s.last_seen, NULL AS used_day,
  'operator' AS role FROM session s JOIN person p ON p.id = s.person_id
  WHERE s.token_hash = ? AND p.disabled IS NULL`
const tokenSql = `SELECT ${personColumns}, t.id AS entry_id, t.expires, 0 AS last_seen, t.last_used_day AS used_day,
  t.role FROM token t JOIN person p ON p.id = t.person_id
  WHERE t.token_hash = ? AND t.revoked IS NULL AND p.disabled IS NULL`
const rolesSql = 'SELECT account_id, role FROM membership WHERE person_id = ?'
const entriesMax = 2000
const seenPeriodMs = 60_000

export function createTokenAuthenticator(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly log: Log
  readonly times: () => SessionTimes
}): TokenAuthenticator {
  const { db, writer, clock, log, times } = parts
  const entries = new Map<string, Entry>()
  let revision = -1

  function find(kind: 'session' | 'token', text: string): Entry | null {
    const now = db.getValue<number>(revisionSql) ?? 0
    if (now !== revision) entries.clear()
    revision = now
    const hash = hashToHex(text)
    const known = entries.get(hash)
    if (known !== undefined) return known
    const sql = kind === 'session' ? sessionSql : tokenSql
    const row = db.get<EntryRow>(sql, [hashCredential(text)])
    if (row === null) return null
    const entry = toEntry(row, kind)
    if (entries.size >= entriesMax) entries.clear()
    entries.set(hash, entry)
    return entry
  }

  function toEntry(row: EntryRow, kind: 'session' | 'token'): Entry {
    const memberships = db.all<{ account_id: string; role: AccountRole }>(rolesSql, [row.id])
    const roles = memberships.map(
      ({ account_id: id, role }) => [id, row.role === 'member' ? 'member' : role] as const,
    )
    const person = toPerson(row)
    return {
      signedIn: {
        person,
        roles: new Map(roles),
        isOperator: person.isOperator && row.role === 'operator',
        by: { kind, id: row.entry_id },
      },
      expires: row.expires,
      lastSeen: row.last_seen,
      writtenSeen: row.last_seen,
      usedDay: row.used_day,
    }
  }

  /** Written without waiting; a lost write costs one minute of accuracy. */
  function note(sql: string, parameters: readonly SqlValue[]): void {
    writer.write([{ sql, parameters }]).catch((error: unknown) => {
      log('warn', 'last_use_not_written', { error })
    })
  }

  return {
    findSession(token) {
      if (!isSessionToken(token)) return null
      const entry = find('session', token)
      if (entry === null) return null
      const now = clock.now()
      if (now >= (entry.expires ?? 0) || now >= entry.lastSeen + times().idleMs) return null
      entry.lastSeen = Math.max(entry.lastSeen, now)
      if (now - entry.writtenSeen >= seenPeriodMs) {
        entry.writtenSeen = now
        note('UPDATE session SET last_seen = max(last_seen, ?) WHERE id = ?', [
          now,
          entry.signedIn.by.id,
        ])
      }
      return entry.signedIn
    },

    findToken(token) {
      if (!checkToken(token)) return null
      const entry = find('token', token)
      if (entry === null) return null
      const now = clock.now()
      if (entry.expires !== null && now >= entry.expires) return null
      const day = new Date(now).toISOString().slice(0, 10)
      if (entry.usedDay !== day) {
        entry.usedDay = day
        note('UPDATE token SET last_used_day = ? WHERE id = ?', [day, entry.signedIn.by.id])
      }
      return entry.signedIn
    },
  }
}
