// One-time invitation links: to an existing account, a new account, or for the first operator. Only the token's hash is stored. Use
// and effect are one transaction, so a link cannot be used twice.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'
import { findAccountById, insertAccount } from '../../tables/accounts.ts'
import {
  deleteExpiredInvitations,
  findOpenInvitation,
  insertFirstInvitation,
  insertInvitation,
  type InvitationRow,
  listOpenInvitations,
  useInvitation,
  deleteFirstInvitations,
  deleteInvitation,
} from '../../tables/invitations.ts'
import { joinAccount } from '../../tables/memberships.ts'
import { insertPerson, promotePerson } from '../../tables/people.ts'
import { AccountsRefusal, checkAccountName } from '../accounts/account-rules.ts'
import { checkToken, createToken, hashCredential } from '../accounts/api-key.ts'
import { type Role, parseEmail, parsePersonName } from './person.ts'
import { checkNewPassword } from './password-rules.ts'
import type { Passwords } from './passwords.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Times are milliseconds since 1970 UTC. */
type Invitation = {
  readonly id: string
  /** `operator`: of the whole server, and owner of the account below. */
  readonly role: Role
  /** Null: no account, or one that is created when the invitation is accepted. */
  readonly accountId: string | null
  readonly accountName: string | null
  /** The only email address that may accept it; null: any. */
  readonly email: string | null
  readonly created: number
  readonly expires: number
  /** True for the first-run link. */
  readonly isFirst: boolean
}

/** The inviting person, and their session or token. If the token is revoked or expires, the invitation ends too. */
type Inviter = {
  readonly personId: string
  readonly via: { readonly kind: 'session' | 'token'; readonly id: string }
}

/** `password` null: the person signs in with the identity that `bind` stores. */
type NewPerson = {
  readonly email: string
  readonly name: string
  readonly password: string | null
}
type CreatedInvitation = { readonly invitation: Invitation; readonly token: string }

/**
 * Durable on return. Throws AccountsRefusal: `link_over` (used, expired, withdrawn, unknown), `bad_role`, `no_account`,
 * `bad_email`, `bad_name`, `bad_password`, `email_taken`, `name_taken`, `too_many`, `no_invitation`.
 */
export type Invitations = {
  /** Valid 7 days. `accountId` xor `accountName`; neither for an operator without an account. */
  create(order: {
    readonly role: Role
    readonly accountId?: string
    readonly accountName?: string
    readonly email?: string
    readonly invitedBy: Inviter | null
  }): Promise<CreatedInvitation>
  /** The link for the first operator, valid 30 minutes; it replaces an earlier one. Refused if an operator exists. */
  createFirst(accountId: string): Promise<CreatedInvitation>
  /** Describes a link; throws `link_over`. */
  get(token: string): Promise<Invitation>
  /** Creates a person; returns their ID. */
  acceptAsNew(
    token: string,
    person: NewPerson,
    bind?: (personId: string) => Statement,
  ): Promise<string>
  /** Accepts it for a signed-in person, or one whose identity `bind` stores in the same transaction. */
  acceptAs(
    token: string,
    person: { readonly id: string; readonly email: string },
    bind?: Statement,
  ): Promise<void>
  /** Open invitations: of an account, or with null of the whole server. Newest first. */
  list(accountId: string | null): Promise<readonly Invitation[]>
  /** `accountId`: withdraws it only if it belongs to this account. */
  withdraw(id: string, accountId: string | null): Promise<void>
  /** Deletes invitations that expired more than a month ago. */
  sweep(): Promise<void>
}

const firstMs = 30 * 60_000
const validMs = 7 * 86_400_000
const retainedMs = 30 * 86_400_000
/** Maximum number of open invitations: per account, and for those without an existing account. */
const openMax = 100

export function createInvitations(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly passwords: Passwords
}): Invitations {
  const { rows, clock, passwords } = parts

  async function find(token: string): Promise<Invitation | null> {
    if (!checkToken(token)) return null
    const row = await rows.first(findOpenInvitation(hashCredential(token), clock.now()))
    return row === null ? null : toInvitation(row)
  }

  async function nameOf(accountId: string): Promise<string> {
    const account = await rows.first(findAccountById(accountId))
    if (account === null) throw new AccountsRefusal('no_account', 'no account has this id')
    return account.name
  }

  async function get(token: string): Promise<Invitation> {
    const invitation = await find(token)
    if (invitation === null) throw linkExpired()
    return invitation
  }

  async function store(
    invitation: Invitation,
    invitedBy: Inviter | null,
    around: readonly Statement[] = [],
  ): Promise<CreatedInvitation> {
    const token = createToken()
    const { id, role, accountId, accountName, email, created, expires, isFirst } = invitation
    const row = {
      id,
      token_hash: hashCredential(token),
      role,
      account_id: accountId,
      account_name: accountId === null ? accountName : null,
      email,
      created,
      expires,
      invited_by: invitedBy?.personId ?? null,
      session_id: invitedBy?.via.kind === 'session' ? invitedBy.via.id : null,
      token_id: invitedBy?.via.kind === 'token' ? invitedBy.via.id : null,
    }
    const insert = isFirst ? insertFirstInvitation(row) : insertInvitation(row, openMax)
    await conditionalWrite(rows, [...around, insert], () => (isFirst ? hasOperator() : tooMany()))
    return { invitation, token }
  }

  /** Statements that use a link; `person` exists, or `before` creates it. */
  async function accept(
    token: string,
    invitation: Invitation,
    personId: string,
    before: readonly Statement[],
  ): Promise<void> {
    const now = clock.now()
    const use = useInvitation(invitation.id, hashCredential(token), now)
    const why = [linkExpired, emailTaken, () => nameTaken(invitation.accountName ?? '')]
    const join = joining(invitation, personId, now)
    const statements = [use, ...before, ...join]
    await conditionalWrite(rows, statements, (index) =>
      (why[index === 0 ? 0 : index <= before.length ? 1 : 2] ?? linkExpired)(),
    )
  }

  return {
    get,

    async create({ role, accountId, accountName, email, invitedBy }) {
      if (accountName !== undefined) checkAccountName(accountName)
      if (role !== 'operator' && (accountId === undefined) === (accountName === undefined)) {
        throw new AccountsRefusal('bad_role', 'an owner or member is of one account')
      }
      const now = clock.now()
      return await store(
        {
          id: randomUUID(),
          role,
          accountId: accountId ?? null,
          accountName: accountId === undefined ? (accountName ?? null) : await nameOf(accountId),
          email: email === undefined ? null : parseEmail(email),
          created: now,
          expires: now + validMs,
          isFirst: false,
        },
        invitedBy,
      )
    },

    async createFirst(accountId) {
      const now = clock.now()
      const ids = { id: randomUUID(), accountId, accountName: null, email: null }
      const times = { created: now, expires: now + firstMs }
      const order = { ...ids, ...times, role: 'operator' as const, isFirst: true }
      return await store(order, null, [deleteFirstInvitations()])
    },

    async acceptAsNew(token, person, bind) {
      const invitation = await get(token)
      const email = parseEmail(person.email)
      if (invitation.email !== null && invitation.email !== email) throw otherAddress()
      const name = parsePersonName(person.name)
      if (person.password !== null) checkNewPassword(person.password, email)
      const id = randomUUID()
      const password = person.password === null ? null : await passwords.hash(person.password)
      const insert = insertPerson({ id, email, name, password, created: clock.now() })
      await accept(token, invitation, id, [insert, ...(bind === undefined ? [] : [bind(id)])])
      return id
    },

    async acceptAs(token, person, bind) {
      const invitation = await get(token)
      if (invitation.email !== null && invitation.email !== person.email) throw otherAddress()
      await accept(token, invitation, person.id, bind === undefined ? [] : [bind])
    },

    async list(accountId) {
      const found = await rows.find(listOpenInvitations(accountId, clock.now()))
      return found.map(toInvitation)
    },

    async withdraw(id, accountId) {
      await conditionalWrite(
        rows,
        [deleteInvitation(id, accountId)],
        () => new AccountsRefusal('no_invitation', 'there is no such invitation'),
      )
    },

    async sweep() {
      await rows.write([deleteExpiredInvitations(clock.now() - retainedMs)])
    },
  }
}

/** Statements for the effect of an invitation on a person. */
function joining(invitation: Invitation, personId: string, now: number): readonly Statement[] {
  const { role, accountId, accountName } = invitation
  const id = accountId ?? randomUUID()
  const newAccount = insertAccount({
    id,
    name: accountName ?? '',
    created: now,
    cardMarked: false,
  })
  const accountRole = role === 'operator' ? 'owner' : role
  return [
    ...(accountId === null && accountName !== null ? [newAccount] : []),
    ...(accountId === null && accountName === null
      ? []
      : [joinAccount({ accountId: id, personId, role: accountRole, now })]),
    ...(role === 'operator' ? [promotePerson(personId)] : []),
  ]
}

function toInvitation(row: InvitationRow): Invitation {
  const { id, role, email, created, expires } = row
  const account = { accountId: row.account_id, accountName: row.account_name }
  return { id, role, ...account, email, created, expires, isFirst: row.first === 1 }
}

// The same error for all invalid links, so that a wrong link reveals nothing about valid ones.
function linkExpired(): AccountsRefusal {
  return new AccountsRefusal(
    'link_over',
    'this link was used or has expired: request a new invitation; for the first operator, "cairn init --link" prints a new link',
  )
}

function otherAddress(): AccountsRefusal {
  return new AccountsRefusal('bad_email', 'this invitation is for another email address')
}

function emailTaken(): AccountsRefusal {
  return new AccountsRefusal(
    'email_taken',
    'a person with this email exists: sign in, then open the link again',
  )
}

function nameTaken(name: string): AccountsRefusal {
  return new AccountsRefusal(
    'name_taken',
    `an account named ${JSON.stringify(name)} exists already`,
  )
}

function hasOperator(): AccountsRefusal {
  return new AccountsRefusal(
    'link_over',
    'an operator already exists: "cairn people invite --operator" prints a link for another one',
  )
}

function tooMany(): AccountsRefusal {
  return new AccountsRefusal('too_many', `at most ${openMax} invitations can be open: withdraw one`)
}
