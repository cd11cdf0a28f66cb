// One-time invitation links: to an existing account, a new account, or as the first operator. Only the token's hash is
// stored. Use and effect are one transaction, so a link cannot be used twice.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement, Writer } from '../../db/writer.ts'
import { checkAccountName } from '../accounts/account-rules.ts'
import { AccountsRefusal } from '../accounts/accounts-refusal.ts'
import { checkToken, createToken, hashCredential } from '../accounts/api-key.ts'
import { parseEmail } from './email.ts'
import { joinAccount } from './memberships.ts'
import { checkNewPassword } from './password-rules.ts'
import type { Passwords } from './passwords.ts'
import { parsePersonName, type Role } from './person.ts'
import { conditionalWrite } from './conditional-write.ts'

/** Times are milliseconds since 1970 UTC. */
type Invitation = {
  readonly id: string
  /** `operator`: of the whole server; of the account below they become an owner. */
  readonly role: Role
  /** Null: of an account that is made when the invitation is taken, or of none. */
  readonly accountId: string | null
  readonly accountName: string | null
  /** The only email address that may accept it; null: any. */
  readonly email: string | null
  readonly created: number
  readonly expires: number
  /** The first-run link. */
  readonly isFirst: boolean
}

/** A person, and the session or token they invite with. The invitation ends with a token that is revoked or expires. */
type Inviter = {
  readonly personId: string
  readonly via: { readonly kind: 'session' | 'token'; readonly id: string }
}

type NewPerson = { readonly email: string; readonly name: string; readonly password: string }
type Made = { readonly invitation: Invitation; readonly token: string }

/**
 * Durable on return. Throws AccountsRefusal: `link_over` (used, expired, withdrawn, never was), `bad_role`,
 * `no_account`, `bad_email`, `bad_name`, `bad_password`, `email_taken`, `name_taken`, `too_many`, `no_invitation`.
 */
export type Invitations = {
  /** Valid 7 days. `accountId` xor `accountName`; neither for an operator of the server alone. */
  create(order: {
    readonly role: Role
    readonly accountId?: string
    readonly accountName?: string
    readonly email?: string
    readonly invitedBy: Inviter | null
  }): Promise<Made>
  /** The link for the first operator, valid 30 minutes; it replaces an earlier one. Refused if an operator exists. */
  createFirst(accountId: string): Promise<Made>
  /** Describes a link; throws `link_over`. */
  get(token: string): Invitation
  /** Creates a person; returns their ID. */
  takeAsNew(token: string, person: NewPerson): Promise<string>
  /** For a signed-in person. */
  takeAs(token: string, person: { readonly id: string; readonly email: string }): Promise<void>
  /** Those that can be taken: of an account, or with null of the whole server. Newest first. */
  list(accountId: string | null): readonly Invitation[]
  /** `accountId`: only when it is of this account. */
  withdraw(id: string, accountId: string | null): Promise<void>
  /** Deletes invitations that expired more than a month ago. */
  sweep(): Promise<void>
}

const firstMs = 30 * 60_000
const validMs = 7 * 86_400_000
const keptAfterMs = 30 * 86_400_000
/** That can be taken, of one account; and of all that are for none yet. */
const openMax = 100

type InvitationRow = {
  readonly id: string
  readonly role: Role
  readonly account_id: string | null
  readonly account_name: string | null
  readonly email: string | null
  readonly created: number
  readonly expires: number
  readonly first: number
}

const columns = `i.id, i.role, i.account_id, coalesce(a.name, i.account_name) AS account_name, i.email, i.created,
  i.expires, i.first`
/** An inviter who is no longer owner or operator cannot let anyone in by an earlier link, not even themselves. */
const inviterMay = `(i.invited_by IS NULL OR EXISTS (SELECT 1 FROM person p WHERE p.id = i.invited_by
  AND p.disabled IS NULL AND (p.operator = 1 OR (i.role <> 'operator' AND EXISTS (SELECT 1 FROM membership m
  WHERE m.person_id = p.id AND m.account_id = i.account_id AND m.role = 'owner')))))`
/** `?1`: now. */
const credentialLives = `(i.token_id IS NULL OR EXISTS (SELECT 1 FROM token t WHERE t.id = i.token_id
  AND t.revoked IS NULL AND (t.expires IS NULL OR t.expires > ?1)))`
const isOpen = `i.used IS NULL AND i.expires > ?1 AND ${inviterMay} AND ${credentialLives}`

export function createInvitations(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly passwords: Passwords
}): Invitations {
  const { db, writer, clock, passwords } = parts

  function find(token: string): Invitation | null {
    if (!checkToken(token)) return null
    const sql = `SELECT ${columns} FROM invitation i LEFT JOIN account a ON a.id = i.account_id
      WHERE ${isOpen} AND i.token_hash = ?2`
    const row = db.get<InvitationRow>(sql, [clock.now(), hashCredential(token)])
    return row === null ? null : toInvitation(row)
  }

  function nameOf(accountId: string): string {
    const name = db.getValue<string>('SELECT name FROM account WHERE id = ?', [accountId])
    if (name === null) throw new AccountsRefusal('no_account', 'no account has this id')
    return name
  }

  function get(token: string): Invitation {
    const invitation = find(token)
    if (invitation === null) throw linkOver()
    return invitation
  }

  async function store(
    invitation: Invitation,
    invitedBy: Inviter | null,
    around: readonly Statement[] = [],
  ): Promise<Made> {
    const token = createToken()
    const { id, role, accountId, accountName, email, created, expires, isFirst } = invitation
    const condition = isFirst
      ? `NOT EXISTS (SELECT 1 FROM person WHERE operator = 1 AND disabled IS NULL)`
      : `(SELECT count(*) FROM invitation i WHERE i.account_id IS ?5 AND ${isOpen}) < ${openMax}`
    const insert: Statement = {
      sql: `INSERT INTO invitation
        (created, id, token_hash, role, account_id, account_name, email, expires, first, invited_by, session_id, token_id)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 WHERE ${condition}`,
      parameters: [
        created,
        id,
        hashCredential(token),
        role,
        accountId,
        accountId === null ? accountName : null,
        email,
        expires,
        isFirst ? 1 : 0,
        invitedBy?.personId ?? null,
        invitedBy?.via.kind === 'session' ? invitedBy.via.id : null,
        invitedBy?.via.kind === 'token' ? invitedBy.via.id : null,
      ],
      require: 'change',
    }
    await conditionalWrite(writer, [...around, insert], () => (isFirst ? hasOperator() : tooMany()))
    return { invitation, token }
  }

  /** Statements for the use of a link; `person` exists, or is created by `before`. */
  async function take(
    token: string,
    invitation: Invitation,
    personId: string,
    before: readonly Statement[],
  ): Promise<void> {
    const now = clock.now()
    const use: Statement = {
      sql: `UPDATE invitation AS i SET used = ?1 WHERE ${isOpen} AND i.id = ?2 AND i.token_hash = ?3
        AND (i.first = 0 OR NOT EXISTS (SELECT 1 FROM person WHERE operator = 1 AND disabled IS NULL))`,
      parameters: [now, invitation.id, hashCredential(token)],
      require: 'change',
    }
    const why = [linkOver, emailTaken, () => nameTaken(invitation.accountName ?? '')]
    const join = joining(invitation, personId, now)
    const statements = [use, ...before, ...join]
    await conditionalWrite(writer, statements, (index) =>
      (why[index === 0 ? 0 : index <= before.length ? 1 : 2] ?? linkOver)(),
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
          accountName: accountId === undefined ? (accountName ?? null) : nameOf(accountId),
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
      const before = {
        sql: 'DELETE FROM invitation WHERE first = 1 AND used IS NULL',
        parameters: [],
      }
      return await store({ ...ids, ...times, role: 'operator', isFirst: true }, null, [before])
    },

    async takeAsNew(token, person) {
      const invitation = get(token)
      const email = parseEmail(person.email)
      if (invitation.email !== null && invitation.email !== email) throw otherAddress()
      const name = parsePersonName(person.name)
      checkNewPassword(person.password, email)
      const id = randomUUID()
      const insert: Statement = {
        sql: `INSERT INTO person (id, email, name, password, created) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (email) DO NOTHING`,
        parameters: [id, email, name, await passwords.hash(person.password), clock.now()],
        require: 'change',
      }
      await take(token, invitation, id, [insert])
      return id
    },

    async takeAs(token, person) {
      const invitation = get(token)
      if (invitation.email !== null && invitation.email !== person.email) throw otherAddress()
      await take(token, invitation, person.id, [])
    },

    list(accountId) {
      const sql = `SELECT ${columns} FROM invitation i LEFT JOIN account a ON a.id = i.account_id
        WHERE ${isOpen} AND (?2 IS NULL OR i.account_id = ?2) ORDER BY i.created DESC, i.id LIMIT 1000`
      return db.all<InvitationRow>(sql, [clock.now(), accountId]).map(toInvitation)
    },

    async withdraw(id, accountId) {
      const sql =
        'DELETE FROM invitation WHERE id = ?1 AND used IS NULL AND (?2 IS NULL OR account_id = ?2)'
      await conditionalWrite(
        writer,
        [{ sql, parameters: [id, accountId], require: 'change' }],
        () => new AccountsRefusal('no_invitation', 'there is no such invitation'),
      )
    },

    async sweep() {
      const parameters = [clock.now() - keptAfterMs]
      await writer.write([{ sql: 'DELETE FROM invitation WHERE expires < ?', parameters }])
    },
  }
}

/** Effect of an invitation on a person. */
function joining(invitation: Invitation, personId: string, now: number): readonly Statement[] {
  const { role, accountId, accountName } = invitation
  const id = accountId ?? randomUUID()
  const newAccount: Statement = {
    sql: `INSERT INTO account (id, name, created, card) VALUES (?, ?, ?, 0) ON CONFLICT (name) DO NOTHING`,
    parameters: [id, accountName ?? '', now],
    require: 'change',
  }
  const operator = { sql: 'UPDATE person SET operator = 1 WHERE id = ?', parameters: [personId] }
  const accountRole = role === 'operator' ? 'owner' : role
  return [
    ...(accountId === null && accountName !== null ? [newAccount] : []),
    ...(accountId === null && accountName === null
      ? []
      : [joinAccount({ accountId: id, personId, role: accountRole, now })]),
    ...(role === 'operator' ? [operator] : []),
  ]
}

function toInvitation(row: InvitationRow): Invitation {
  const { id, role, email, created, expires } = row
  const account = { accountId: row.account_id, accountName: row.account_name }
  return { id, role, ...account, email, created, expires, isFirst: row.first === 1 }
}

// One error for all invalid links, so that a wrong link reveals no information about valid ones.
function linkOver(): AccountsRefusal {
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
