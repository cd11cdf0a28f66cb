// `cairn people …`: people of the dashboard, invitations, and restored access.
// Tested by test/cli/cli-people.test.ts
import type { Command } from 'commander'
import { AccountsRefusal, quote } from '../../access/accounts/account-rules.ts'
import {
  addAdminOptions,
  type AdminAccess,
  type AdminOptions,
  openAdminAccess,
} from '../admin-access.ts'
import { asTyped } from '../typed-command.ts'
import type { Context } from '../context.ts'
import { defineInvitations } from './invitations.ts'
import { accountNamed } from '../named-account.ts'
import { showTime } from '../open-data.ts'
import { promptText } from '../prompts.ts'
import { print, table } from '../report.ts'
import { UsageError } from '../usage-error.ts'

type ListedPerson = Awaited<ReturnType<typeof personByEmail>>

export function definePeople(command: Command, context: Context): void {
  defineLists(command, context)
  defineInvitations(command, context)
  defineMembers(command, context)
  defineDeeds(command, context)
  definePassword(command, context)
}

function defineLists(command: Command, context: Context): void {
  addAdminOptions(command.command('list').description('list all people'))
    .addHelpText('after', '\nExample:\n  cairn people list --json')
    .action(async (options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const people = await listPeople(admin)
      print(context, options.json, { people: people.map(show) }, asTyped(context, describe(people)))
    })
  addAdminOptions(command.command('show <email>').description('show a person and their accounts'))
    .addHelpText('after', '\nExample:\n  cairn people show ada@example.org')
    .action(async (email: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { id } = await personByEmail(admin, email)
      const { person, accounts, sessions } = await admin.call('GET /people/{person}', {
        person: id,
      })
      const rows = accounts.map(({ name, role }) => [name, role])
      const text = [
        describe([person]),
        table(['account', 'role'], rows, 'Not a member of any account.'),
        `Sessions: ${sessions.length}`,
      ].join('\n')
      print(context, options.json, { person: show(person), accounts, sessions }, text)
    })
}

type MemberOptions = AdminOptions & { readonly role?: string; readonly ownerless?: true }

function defineMembers(command: Command, context: Context): void {
  addAdminOptions(
    command.command('members <account>').description('list the members of an account'),
  )
    .addHelpText('after', '\nExample:\n  cairn people members team')
    .action(async (name: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { id: account } = await accountNamed(admin, name)
      const { members } = await admin.call('GET /accounts/{account}/members', { account })
      const rows = members.map((one) => [one.email, one.role, one.name, showTime(one.since)])
      const text = table(['email', 'role', 'name', 'since'], rows, 'The account has no members.')
      print(context, options.json, { account: name, members }, text)
    })
  addAdminOptions(
    command
      .command('join <account> <email>')
      .description('add a person to an account, or change the role of a member')
      .option('--role <role>', 'role: owner or member', 'member')
      .option('--ownerless', 'permit an account without an owner'),
  )
    .addHelpText('after', '\nExample:\n  cairn people join team ada@example.org --role owner')
    .action(async (name: string, email: string, options: MemberOptions) => {
      const role = roleOf(options.role)
      await using admin = await openAdminAccess(context, options)
      const { id: account } = await accountNamed(admin, name)
      const { id: person } = await personByEmail(admin, email)
      await admin.call('POST /accounts/{account}/members', { account, email, role })
      const ownerless = options.ownerless === true
      await admin.call('PATCH /accounts/{account}/members/{person}', {
        account,
        person,
        role,
        ownerless,
      })
      print(
        context,
        options.json,
        { account: name, email, role },
        `${email} is ${role} of ${name}.`,
      )
    })
  addAdminOptions(
    command
      .command('leave <account> <email>')
      .description('remove a person from an account')
      .option('--ownerless', 'permit an account without an owner'),
  )
    .addHelpText('after', '\nExample:\n  cairn people leave team ada@example.org')
    .action(async (name: string, email: string, options: MemberOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { id: account } = await accountNamed(admin, name)
      const { id: person } = await personByEmail(admin, email)
      const ownerless = options.ownerless === true
      await admin.call('DELETE /accounts/{account}/members/{person}', {
        account,
        person,
        ownerless,
      })
      print(
        context,
        options.json,
        { account: name, email },
        `${email} is no longer a member of ${name}.`,
      )
    })
}

type Deed = (admin: AdminAccess, person: string) => Promise<unknown>

function defineDeeds(command: Command, context: Context): void {
  define('disable', 'block sign-in and end all sessions', 'is disabled', (admin, person) =>
    admin.call('PATCH /people/{person}', { person, disabled: true }),
  )
  define('enable', 'permit sign-in again', 'can sign in again', (admin, person) =>
    admin.call('PATCH /people/{person}', { person, disabled: false }),
  )
  define('promote', 'make a person an operator', 'is an operator', (admin, person) =>
    admin.call('PATCH /people/{person}', { person, isOperator: true }),
  )
  define(
    'demote',
    'remove the operator role from a person',
    'is no longer an operator',
    (admin, person) => admin.call('PATCH /people/{person}', { person, isOperator: false }),
  )
  define(
    'reset-totp',
    'remove the authenticator and passkeys of a person',
    'signs in with the password only',
    (admin, person) => admin.call('POST /people/{person}/totp/reset', { person }),
  )
  define(
    'unlink',
    'unlink the OpenID identity of a person and end their sessions',
    'no longer signs in with OpenID',
    (admin, person) => admin.call('DELETE /people/{person}/identity', { person }),
  )
  define(
    'sign-out',
    'end all sessions of a person',
    'is signed out of all sessions',
    (admin, person) => admin.call('POST /people/{person}/sessions/end', { person }),
  )

  function define(verb: string, description: string, done: string, run: Deed): void {
    addAdminOptions(command.command(`${verb} <email>`).description(description))
      .addHelpText('after', `\nExample:\n  cairn people ${verb} ada@example.org`)
      .action(async (email: string, options: AdminOptions) => {
        await using admin = await openAdminAccess(context, options)
        const { id } = await personByEmail(admin, email)
        await run(admin, id)
        const person = await personByEmail(admin, email)
        print(context, options.json, { person: show(person) }, `${person.email} ${done}.`)
      })
  }
}

function definePassword(command: Command, context: Context): void {
  addAdminOptions(
    command
      .command('password <email>')
      .description('set a new password and end all sessions of a person'),
  )
    .addHelpText(
      'after',
      `
Examples:
  cairn people password ada@example.org
  cairn people password ada@example.org < file-with-the-password

Type the password at the terminal, where it is not shown, or send it as the first line of standard input.`,
    )
    .action(async (email: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { id } = await personByEmail(admin, email)
      const newPassword = await askPassword(context, email)
      const { person } = await admin.call('POST /people/{person}/password', {
        person: id,
        newPassword,
      })
      const text = `${person.email} has a new password and is signed out of all sessions.`
      print(context, options.json, { person: show(person) }, text)
    })
}

async function askPassword(context: Context, email: string): Promise<string> {
  const questions = context.openQuestions?.() ?? promptText(await context.readInput())
  try {
    const password = await questions.askHidden(`New password of ${email}: `)
    if (context.openQuestions === undefined) return password
    const again = await questions.askHidden('Again: ')
    if (again !== password) throw new UsageError('the passwords do not match: nothing was changed')
    return password
  } finally {
    questions.close()
  }
}

const pageSize = 1000

async function listPeople(admin: AdminAccess) {
  const all = []
  for (let after = ''; ;) {
    const { people } = await admin.call('GET /people', { after, limit: pageSize })
    all.push(...people)
    const last = people.at(-1)
    if (last === undefined || people.length < pageSize) return all
    after = last.email
  }
}

/** Throws AccountsRefusal `no_person`. */
async function personByEmail(admin: AdminAccess, email: string) {
  const name = email.trim().toLowerCase()
  const found = (await listPeople(admin)).find((person) => person.email === name)
  if (found !== undefined) return found
  throw new AccountsRefusal('no_person', `unknown person ${quote(email)}`)
}

function roleOf(text: string | undefined): 'owner' | 'member' {
  if (text === 'owner' || text === 'member') return text
  throw new UsageError(`--role is "${text}", expected owner or member`)
}

function show(person: ListedPerson): object {
  const { created, disabled, ...rest } = person
  return { ...rest, created: showTime(created), disabled: showTime(disabled) }
}

function describe(people: readonly ListedPerson[]): string {
  const rows = people.map((person) => [
    person.email,
    person.name,
    person.isOperator ? 'yes' : 'no',
    person.hasTotp ? 'yes' : 'no',
    String(person.passkeys),
    person.issuer ?? 'no',
    person.disabled === null ? 'no' : 'yes',
    showTime(person.created),
  ])
  const headings = [
    'email',
    'name',
    'operator',
    'authenticator',
    'passkeys',
    'openid',
    'disabled',
    'created',
  ]
  return table(
    headings,
    rows,
    'No people. "cairn init --link" prints a link for the first operator.',
  )
}
