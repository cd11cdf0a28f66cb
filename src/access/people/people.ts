// People, as operators see them. They are created by an invitation or the first-run link (invitations.ts) and are never
// deleted, only disabled, so that the audit log stays complete.
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement, Writer } from '../../db/writer.ts'
import { AccountsRefusal } from '../accounts/accounts-refusal.ts'
import { parseEmail } from './email.ts'
import { checkNewPassword } from './password-rules.ts'
import type { Passwords } from './passwords.ts'
import {
  noPerson,
  parsePersonName,
  type Person,
  personColumns,
  type PersonRow,
  toPerson,
} from './person.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Throws AccountsRefusal: `no_person`, `last_operator`, and those of each method. Changes are durable on return. */
export type People = {
  /** By email; at most `limit`, after the email `after`. */
  list(page?: { readonly after?: string; readonly limit?: number }): readonly Person[]
  find(id: string): Person | null
  get(id: string): Person
  findByEmail(email: string): Person | null
  /** Returns true if an operator exists. */
  hasOperator(): boolean
  /** `bad_name`. */
  rename(id: string, name: string): Promise<void>
  /** Throws `bad_password`. Ends all sessions except the one that the caller names. */
  setPassword(id: string, password: string, keepSession: string | null): Promise<void>
  /** Ends sessions and open invitations, suspends tokens. The last operator who can sign in cannot be disabled. */
  setDisabled(id: string, disabled: boolean): Promise<void>
  /**
   * Ends their sessions, so that they come back with a new token. One operator stays. `false` also withdraws operator
   * invitations of theirs and lowers their operator tokens to `owner`, so that a later promotion revives neither.
   */
  setOperator(id: string, isOperator: boolean): Promise<void>
}

const listMax = 1000

export function createPeople(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly passwords: Passwords
}): People {
  const { db, writer, clock, passwords } = parts

  function find(id: string): Person | null {
    const row = db.get<PersonRow>(`SELECT ${personColumns} FROM person p WHERE p.id = ?`, [id])
    return row === null ? null : toPerson(row)
  }

  function get(id: string): Person {
    const person = find(id)
    if (person === null) throw noPerson()
    return person
  }

  const change = async (statements: readonly Statement[]) => {
    await conditionalWrite(writer, statements, () => noPerson())
  }

  return {
    find,
    get,

    list({ after = '', limit = listMax } = {}) {
      const sql = `SELECT ${personColumns} FROM person p WHERE p.email > ? ORDER BY p.email LIMIT ?`
      return db.all<PersonRow>(sql, [after, Math.min(limit, listMax)]).map(toPerson)
    },

    findByEmail(email) {
      const sql = `SELECT ${personColumns} FROM person p WHERE p.email = ?`
      const row = db.get<PersonRow>(sql, [parseEmail(email)])
      return row === null ? null : toPerson(row)
    },

    hasOperator: () =>
      db.getValue('SELECT 1 FROM person WHERE operator = 1 AND disabled IS NULL LIMIT 1') !== null,

    async rename(id, name) {
      const parameters = [parsePersonName(name), id]
      await change([
        { sql: 'UPDATE person SET name = ? WHERE id = ?', parameters, require: 'change' },
      ])
    },

    async setPassword(id, password, keepSession) {
      checkNewPassword(password, get(id).email)
      const parameters = [await passwords.hash(password), id]
      await change([
        { sql: 'UPDATE person SET password = ? WHERE id = ?', parameters, require: 'change' },
        ...endCredentials(id, keepSession),
      ])
    },

    async setDisabled(id, disabled) {
      get(id)
      const sql = disabled
        ? `UPDATE person SET disabled = coalesce(disabled, ?1) WHERE id = ?2 AND ${notLastOperator}`
        : 'UPDATE person SET disabled = NULL WHERE ?1 IS NOT NULL AND id = ?2'
      const parameters = [clock.now(), id]
      const statements = [
        { sql, parameters, require: 'change' as const },
        endSessions(id),
        { sql: 'DELETE FROM invitation WHERE invited_by = ? AND used IS NULL', parameters: [id] },
      ]
      await conditionalWrite(writer, statements, () => lastOperator())
    },

    async setOperator(id, isOperator) {
      if (get(id).isOperator === isOperator) return
      const sql = `UPDATE person SET operator = ?1 WHERE id = ?2 AND (?1 = 1 OR ${notLastOperator})`
      const parameters = [isOperator ? 1 : 0, id]
      const statements = [
        { sql, parameters, require: 'change' as const },
        endSessions(id),
        ...(isOperator ? [] : endOperatorCredentials(id)),
      ]
      await conditionalWrite(writer, statements, () => lastOperator())
    },
  }
}

/** Of the person `?2`. */
const notLastOperator = `(operator = 0 OR disabled IS NOT NULL OR EXISTS
  (SELECT 1 FROM person other WHERE other.operator = 1 AND other.disabled IS NULL AND other.id <> ?2))`

function lastOperator(): AccountsRefusal {
  return new AccountsRefusal(
    'last_operator',
    'this is the last operator who can sign in: make another person operator first',
  )
}

/** All sessions of a person but one. */
export function endSessions(personId: string, keep: string | null = null): Statement {
  return {
    sql: 'DELETE FROM session WHERE person_id = ? AND id IS NOT ?',
    parameters: [personId, keep],
  }
}

/**
 * Statements for a change of a person's sign-in: end all their sessions but `keep`, and the open invitations made in
 * any session but `keep`. Invitations of tokens end with their token.
 */
export function endCredentials(personId: string, keep: string | null = null): readonly Statement[] {
  return [
    endSessions(personId, keep),
    {
      sql: `DELETE FROM invitation WHERE invited_by = ?1 AND used IS NULL AND session_id IS NOT NULL
        AND session_id IS NOT ?2`,
      parameters: [personId, keep],
    },
  ]
}

function endOperatorCredentials(personId: string): readonly Statement[] {
  return [
    {
      sql: `DELETE FROM invitation WHERE invited_by = ? AND used IS NULL AND role = 'operator'`,
      parameters: [personId],
    },
    {
      sql: `UPDATE token SET role = 'owner' WHERE person_id = ? AND role = 'operator'`,
      parameters: [personId],
    },
  ]
}
