// People, for operators. An invitation or the first-run link creates them (invitations.ts). They are never deleted, only disabled,
// so that the audit log remains complete.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'
import { deleteInvitationsOf, deleteOperatorInvitationsOf } from '../../tables/invitations.ts'
import {
  disablePerson,
  enablePerson,
  findPersonById,
  findPersonByEmail,
  insertPerson,
  listPeople,
  operatorExists,
  setName,
  setOperator,
  setPassword,
} from '../../tables/people.ts'
import { deleteSessions, endCredentials } from '../../tables/sessions.ts'
import { demoteTokens } from '../../tables/tokens.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'
import { type Person, noPerson, parseEmail, parsePersonName, toPerson } from './person.ts'
import { checkNewPassword } from './password-rules.ts'
import type { Passwords } from './passwords.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Throws AccountsRefusal: `no_person`, `last_operator`, and those of each method. Changes are durable on return. */
export type People = {
  /** Sorted by email; at most `limit`, after the email `after`. */
  list(page?: { readonly after?: string; readonly limit?: number }): Promise<readonly Person[]>
  find(id: string): Promise<Person | null>
  get(id: string): Promise<Person>
  findByEmail(email: string): Promise<Person | null>
  /** Adds a person without password, whose identity `bind` stores in the same transaction. Throws `email_taken`. */
  add(
    person: { readonly email: string; readonly name: string },
    bind: (personId: string) => Statement,
  ): Promise<string>
  /** Returns true if an operator exists. */
  hasOperator(): Promise<boolean>
  /** Throws `bad_name`. */
  rename(id: string, name: string): Promise<void>
  /** Throws `bad_password`. Ends all sessions except `keepSession`. */
  setPassword(id: string, password: string, keepSession: string | null): Promise<void>
  /** Ends sessions and open invitations, suspends tokens. The last operator who can sign in cannot be disabled. */
  setDisabled(id: string, disabled: boolean): Promise<void>
  /**
   * Ends the person's sessions, so that they get a new token. At least one operator remains. `false` also withdraws their operator
   * invitations and lowers their operator tokens to `owner`, so that a later promotion restores neither.
   */
  setOperator(id: string, isOperator: boolean): Promise<void>
}

const listMax = 1000

export function createPeople(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly passwords: Passwords
}): People {
  const { rows, clock, passwords } = parts

  async function find(id: string): Promise<Person | null> {
    const row = await rows.first(findPersonById(id))
    return row === null ? null : toPerson(row)
  }

  async function get(id: string): Promise<Person> {
    const person = await find(id)
    if (person === null) throw noPerson()
    return person
  }

  const change = async (statements: readonly Statement[]) => {
    await conditionalWrite(rows, statements, () => noPerson())
  }

  return {
    find,
    get,

    async list({ after = '', limit = listMax } = {}) {
      const found = await rows.find(listPeople(after, Math.min(limit, listMax)))
      return found.map(toPerson)
    },

    async findByEmail(email) {
      const row = await rows.first(findPersonByEmail(parseEmail(email)))
      return row === null ? null : toPerson(row)
    },

    async add({ email, name }, bind) {
      const id = randomUUID()
      const row = {
        id,
        email: parseEmail(email),
        name: parsePersonName(name),
        password: null,
        created: clock.now(),
      }
      await conditionalWrite(
        rows,
        [insertPerson(row), bind(id)],
        () => new AccountsRefusal('email_taken', 'this person signed up meanwhile: try again'),
      )
      return id
    },

    hasOperator: async () => (await rows.first(operatorExists())) !== null,

    async rename(id, name) {
      await change([setName(id, parsePersonName(name))])
    },

    async setPassword(id, password, keepSession) {
      const { email } = await get(id)
      checkNewPassword(password, email)
      const hash = await passwords.hash(password)
      await change([setPassword(id, hash), ...endCredentials(id, keepSession)])
    },

    async setDisabled(id, disabled) {
      await get(id)
      const statements = [
        disabled ? disablePerson(id, clock.now()) : enablePerson(id),
        deleteSessions(id),
        deleteInvitationsOf(id),
      ]
      await conditionalWrite(rows, statements, () => lastOperator())
    },

    async setOperator(id, isOperator) {
      const person = await get(id)
      if (person.isOperator === isOperator) return
      const demotion = [deleteOperatorInvitationsOf(id), demoteTokens(id)]
      const statements = [
        setOperator(id, isOperator),
        deleteSessions(id),
        ...(isOperator ? [] : demotion),
      ]
      await conditionalWrite(rows, statements, () => lastOperator())
    },
  }
}

function lastOperator(): AccountsRefusal {
  return new AccountsRefusal(
    'last_operator',
    'this is the last operator who can sign in: make another person operator first',
  )
}
