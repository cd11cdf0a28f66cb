// Permissions of every operation in the OpenAPI document: signed out, stranger, member, owner, operator; by session and by token;
// in the own account and in another one. Input is validated after the role, so an unknown member distinguishes the two errors and
// changes nothing.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AdminClient, openAdminClient, takeFirstRun } from '../fakes/people/admin-client.ts'
import { type Started, startCairn } from '../started-server.ts'

type Schema = {
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly minLength?: number
  readonly minimum?: number
}
type Operation = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly role: 'anyone' | 'signed-in' | 'member' | 'owner' | 'operator'
  readonly body: Schema | null
  readonly query: readonly { readonly name: string; readonly schema: Schema }[]
}
type PathParams = { readonly account: string; readonly key: string; readonly person: string }

const roles = ['signed out', 'stranger', 'member', 'owner', 'operator', 'token'] as const
type Role = (typeof roles)[number]

let cairn: Started
let operations: readonly Operation[]
const clients = new Map<Role, AdminClient>()
let own: PathParams
let foreign: PathParams

before(async () => {
  cairn = await startCairn()
  const operator = await takeFirstRun(cairn)
  clients.set('signed out', openAdminClient(cairn.url))
  clients.set('operator', operator)
  const ownerPerson = await join(operator, 'owner', { role: 'owner', accountName: 'own' })
  const strangerPerson = await join(operator, 'stranger', { role: 'owner', accountName: 'foreign' })
  const account = await accountOf(clients.get('owner'))
  const foreignAccount = await accountOf(clients.get('stranger'))
  await join(operator, 'member', { role: 'member', accountId: account })
  own = { account, person: ownerPerson, key: await makeKey(operator, account) }
  foreign = {
    account: foreignAccount,
    person: strangerPerson,
    key: await makeKey(operator, foreignAccount),
  }
  const owner = clients.get('owner')
  await owner?.ask('POST', '/me/confirmation', { password: 'a stone on a stone' })
  const made = await owner?.ask('POST', '/me/tokens', {
    name: 'of the owner',
    expires: null,
    role: 'owner',
  })
  const token = made?.body['text']
  equal(typeof token, 'string', JSON.stringify(made?.body))
  clients.set('token', openAdminClient(cairn.url, String(token)))
  operations = await readOperations()
})
after(() => cairn.stop())

async function join(
  operator: AdminClient,
  role: Role,
  to: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { body } = await operator.ask('POST', '/invitations', to)
  const client = openAdminClient(cairn.url)
  const { status, body: welcome } = await client.ask('POST', '/welcome', {
    link: body['link'],
    email: `${role}@example.org`,
    name: role,
    password: 'a stone on a stone',
  })
  equal(status, 200, JSON.stringify(welcome))
  clients.set(role, client)
  return (welcome['person'] as { id: string }).id
}

async function accountOf(client: AdminClient | undefined): Promise<string> {
  const reply = await client?.ask('GET', '/accounts')
  const accounts = reply?.body['accounts'] as readonly { id: string }[] | undefined
  return accounts?.[0]?.id ?? ''
}

async function makeKey(operator: AdminClient, account: string): Promise<string> {
  const { status, body } = await operator.ask('POST', `/accounts/${account}/keys`, { name: 'one' })
  equal(status, 200, JSON.stringify(body))
  return (body['key'] as { id: string }).id
}

async function readOperations(): Promise<readonly Operation[]> {
  const { paths } = (await (await fetch(`${cairn.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Record<string, unknown>>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, document]): Operation => {
      const { requestBody, parameters = [] } = document as {
        requestBody?: { content: Record<string, { schema: Schema }> }
        parameters?: readonly { name: string; in: string; schema: Schema }[]
      }
      return {
        id: String(document['operationId']),
        method: method.toUpperCase(),
        path: path.slice('/api/v1'.length),
        role: document['x-cairn-role'] as Operation['role'],
        body: requestBody?.content['application/json']?.schema ?? null,
        query: parameters.filter((one) => one.in === 'query'),
      }
    }),
  )
}

function pathOf({ path }: Operation, { account, key, person }: PathParams): string {
  return path
    .replace('{account}', account)
    .replace('{key}', key)
    .replace('{person}', person)
    .replace('{request}', '1')
    .replaceAll(/\{\w+\}/g, 'nothing')
}

/** Sends a member that no schema has. */
function probe(client: AdminClient | undefined, operation: Operation, params: PathParams) {
  const path = pathOf(operation, params)
  if (operation.method === 'GET' || operation.method === 'DELETE') {
    return client?.ask(operation.method, `${path}?isNoMember=1`)
  }
  return client?.ask(operation.method, path, { isNoMember: 1 })
}

/** The expected result by role. `bad_input`: the role is permitted, and the unknown member is refused. */
function expectedOf(operation: Operation, role: Role, isOwn: boolean): string {
  const let_in = 'bad_input'
  if (operation.role === 'anyone') return let_in
  if (role === 'signed out') return 'signed_out'
  if (role === 'operator' || operation.role === 'signed-in') return let_in
  if (operation.role === 'operator') return 'not_allowed'
  const belongs = role === 'stranger' ? !isOwn : isOwn
  if (!belongs) return 'absent'
  return operation.role === 'owner' && role === 'member' ? 'not_allowed' : let_in
}

test('every operation admits exactly the roles that it names, in their own accounts', async (t) => {
  const wrong: string[] = []
  let cases = 0
  for (const operation of operations) {
    const foreignOptions = operation.path.includes('{account}') ? [true, false] : [true]
    for (const role of roles) {
      for (const isOwn of foreignOptions) {
        const reply = await probe(clients.get(role), operation, isOwn ? own : foreign)
        const expected = expectedOf(operation, role, isOwn)
        cases++
        if (reply?.code !== expected) {
          wrong.push(`${operation.id} as ${role}, own ${isOwn}: ${reply?.code}, not ${expected}`)
        }
      }
    }
  }
  t.diagnostic(`${cases} cases over ${operations.length} operations`)
  deepEqual(wrong, [])
  ok(cases >= 300)
})

/** A minimal input for the schema. */
function sampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0] ?? {})
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || schema.properties !== undefined) {
    const names = schema.required ?? []
    return Object.fromEntries(
      names.map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
    )
  }
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 0, 0)
  if (type === 'boolean') return false
  if (type === 'array') return []
  return 'x'.repeat(Math.max(schema.minLength ?? 1, 1))
}

test('an ID of another account is absent for every operation with an ID, and nothing changes there', async (t) => {
  const operator = clients.get('operator')
  const snapshot = async () => [
    (await operator?.ask('GET', `/accounts/${foreign.account}/keys`))?.body,
    (await operator?.ask('GET', `/accounts/${foreign.account}/members`))?.body,
  ]
  const before = await snapshot()
  const wrong: string[] = []
  let cases = 0
  // The own account in the path, and an item of another account.
  const params = { ...foreign, account: own.account }
  for (const operation of operations) {
    const { path, method, role, body, query } = operation
    if (!/\{(key|person)\}/.test(path) || role === 'operator') continue
    const sent = body === null ? undefined : (sampleOf(body) as Readonly<Record<string, unknown>>)
    const needed = query.filter(({ schema }) => schema.const !== undefined)
    const search = new URLSearchParams()
    for (const { name, schema } of needed) search.set(name, String(schema.const))
    for (const who of ['owner', 'token', 'operator'] as const) {
      const reply = await clients
        .get(who)
        ?.ask(
          method,
          `${pathOf(operation, params)}?${search.toString()}`,
          method === 'GET' ? undefined : (sent ?? {}),
        )
      cases++
      // Operators can find keys of every account by key ID.
      if (operation.id === 'findKey' && who === 'operator') continue
      if (reply?.code !== 'absent') {
        wrong.push(`${operation.id} as ${who}: ${reply?.status} ${reply?.code} ${reply?.message}`)
      }
    }
  }
  t.diagnostic(`${cases} cases`)
  deepEqual(wrong, [])
  deepEqual(await snapshot(), before)
})

test('no operation accepts a foreign member: 500 mass-assignment attempts fail', async (t) => {
  const names = ['operator', 'role2', 'accountId2', 'keyHash', 'secretHash', 'hasCard2', 'created']
  const more = ['__proto__', 'constructor', 'personId', 'disabled2', 'isOperator']
  const wrong: string[] = []
  let cases = 0
  for (const operation of operations) {
    if (operation.method === 'GET' || operation.method === 'DELETE') continue
    for (const name of [...names, ...more]) {
      const known = Object.keys(operation.body?.properties ?? {})
      if (known.includes(name)) continue
      const reply = await clients
        .get('operator')
        ?.ask(
          operation.method,
          pathOf(operation, own),
          JSON.parse(`{"${name}":true}`) as object as Record<string, unknown>,
        )
      cases++
      if (reply?.code !== 'bad_input') wrong.push(`${operation.id} ${name}: ${reply?.code}`)
    }
  }
  t.diagnostic(`${cases} cases`)
  deepEqual(wrong, [])
  ok(cases >= 300)
})
