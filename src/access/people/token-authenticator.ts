// Resolves a session token or access token to its person. Cached until rights change: triggers increment `revision.people`, which
// is read at each call, so a change of rights applies to the next request.
// Tested by src/access/people/sessions.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import { revisionOf } from '../../tables/revisions.ts'
import type { Statement } from '../../db/writer.ts'
import { listRolesOfSession, listRolesOfToken, type RoleRow } from '../../tables/memberships.ts'
import type { PersonRow } from '../../tables/people.ts'
import { findSessionPerson, noteSessionSeen } from '../../tables/sessions.ts'
import { findTokenPerson, noteTokenUse } from '../../tables/tokens.ts'
import { checkToken, hashCredential, hashToHex } from '../accounts/api-key.ts'
import { type AccountRole, type Person, type Role, toPerson } from './person.ts'
import { type SessionTimes, isSessionToken } from './sessions.ts'

/** An authenticated person, and the rights of the session or token. */
type SignedIn = {
  readonly person: Person
  /** By account ID. */
  readonly roles: ReadonlyMap<string, AccountRole>
  /** False also for an operator's token with a lower role. */
  readonly isOperator: boolean
  readonly by: { readonly kind: 'session' | 'token'; readonly id: string }
  /** A second factor was shown in the session. Tokens were created in a session and count as strong. */
  readonly isStrong: boolean
}

/** Null: unknown session or token, expired session, or a disabled person. */
export type TokenAuthenticator = {
  /** Updates the session's time of last use. */
  findSession(token: string): Promise<SignedIn | null>
  /** Throws `signed_out` with the date if the token has expired. */
  findToken(token: string): Promise<SignedIn | null>
}

type Entry = {
  readonly signedIn: SignedIn
  readonly expires: number | null
  lastSeen: number
  /** The stored time of last use. */
  writtenSeen: number
  usedDay: string | null
}

/** A person, and the properties of the session or token. */
type Found = Omit<Entry, 'signedIn' | 'writtenSeen'> & {
  readonly row: PersonRow
  readonly roles: readonly RoleRow[]
  readonly role: Role
  readonly by: SignedIn['by']
  readonly isStrong: boolean
}

const entriesMax = 2000
const seenPeriodMs = 60_000

export function createTokenAuthenticator(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
  readonly times: () => SessionTimes
}): TokenAuthenticator {
  const { rows, clock, log, times } = parts
  // All entries are from the database state of `revision`.
  const entries = new Map<string, Entry>()
  let revision = -1

  async function find(
    text: string,
    read: (hash: Uint8Array) => Promise<readonly [number, Found | null]>,
  ): Promise<Entry | null> {
    const now = (await rows.first(revisionOf('people')))?.number ?? 0
    if (now !== revision) entries.clear()
    revision = now
    const hash = hashToHex(text)
    const cached = entries.get(hash)
    if (cached !== undefined) return cached
    const [readAt, found] = await read(hashCredential(text))
    if (found === null) return null
    // Rights changed during the read, so do not cache: the next call reads again.
    if (readAt !== revision) return toEntry(found)
    // A concurrent call may have cached it: both use one entry, which records the time of last use.
    const entry = entries.get(hash) ?? toEntry(found)
    if (entries.size >= entriesMax) entries.clear()
    entries.set(hash, entry)
    return entry
  }

  async function readSession(hash: Uint8Array): Promise<readonly [number, Found | null]> {
    const [revisions, [row], roles] = await rows.snapshot([
      revisionOf('people'),
      findSessionPerson(hash),
      listRolesOfSession(hash),
    ])
    const readAt = revisions[0]?.number ?? 0
    if (row === undefined) return [readAt, null]
    const { session_id: id, expires, last_seen: lastSeen } = row
    const by = { kind: 'session' as const, id }
    const isStrong = row.strong === 1
    const facts = { by, isStrong, expires, lastSeen, usedDay: null }
    return [readAt, { row, roles, role: 'operator', ...facts }]
  }

  async function readToken(hash: Uint8Array): Promise<readonly [number, Found | null]> {
    const [revisions, [row], roles] = await rows.snapshot([
      revisionOf('people'),
      findTokenPerson(hash),
      listRolesOfToken(hash),
    ])
    const readAt = revisions[0]?.number ?? 0
    if (row === undefined) return [readAt, null]
    const { token_id: id, role, expires, last_used_day: usedDay } = row
    const by = { kind: 'token' as const, id }
    return [readAt, { row, roles, role, by, isStrong: true, expires, lastSeen: 0, usedDay }]
  }

  /** Writes without waiting; a lost write costs one minute of accuracy. */
  function note(statement: Statement): void {
    rows.write([statement]).catch((error: unknown) => {
      log('warn', 'last_use_not_written', { error })
    })
  }

  return {
    async findSession(token) {
      if (!isSessionToken(token)) return null
      const entry = await find(token, readSession)
      if (entry === null) return null
      const now = clock.now()
      if (now >= (entry.expires ?? 0) || now >= entry.lastSeen + times().idleMs) return null
      entry.lastSeen = Math.max(entry.lastSeen, now)
      if (now - entry.writtenSeen >= seenPeriodMs) {
        entry.writtenSeen = now
        note(noteSessionSeen(entry.signedIn.by.id, now))
      }
      return entry.signedIn
    },

    async findToken(token) {
      if (!checkToken(token)) return null
      const entry = await find(token, readToken)
      if (entry === null) return null
      const now = clock.now()
      if (entry.expires !== null && now >= entry.expires) throw tokenExpired(entry.expires)
      const day = new Date(now).toISOString().slice(0, 10)
      if (entry.usedDay !== day) {
        entry.usedDay = day
        note(noteTokenUse(entry.signedIn.by.id, day))
      }
      return entry.signedIn
    },
  }
}

function tokenExpired(time: number): Fault {
  const day = new Date(time).toISOString().slice(0, 10)
  return new Fault('signed_out', {
    detail: `this token expired on ${day}: create a new one in the dashboard, under Profile`,
  })
}

function toEntry({ row, roles, role, by, isStrong, expires, lastSeen, usedDay }: Found): Entry {
  const person = toPerson(row)
  const limited = roles.map(
    (one) => [one.account_id, role === 'member' ? 'member' : one.role] as const,
  )
  const signedIn = {
    person,
    roles: new Map(limited),
    isOperator: person.isOperator && role === 'operator',
    by,
    isStrong,
  }
  return { signedIn, expires, lastSeen, writtenSeen: lastSeen, usedDay }
}
