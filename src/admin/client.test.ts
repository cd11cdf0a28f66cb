import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, type AdminReply, createAdminCaller, linkOf, requestOf } from './client.ts'

test('members that the path names go into it, the rest into the query or the body', () => {
  const usage = requestOf('GET /accounts/{account}/usage', {
    account: 'a b',
    window: '1h',
    by: undefined,
  })
  deepEqual(usage, {
    method: 'GET',
    path: '/api/v1/accounts/a%20b/usage',
    query: [['window', '1h']],
    body: null,
  })
  equal(addressOf(usage), '/api/v1/accounts/a%20b/usage?window=1h')
  deepEqual(requestOf('POST /accounts/{account}/keys', { account: 'acc_1', name: 'app' }), {
    method: 'POST',
    path: '/api/v1/accounts/acc_1/keys',
    query: [],
    body: '{"name":"app"}',
  })
  throws(() => requestOf('GET /accounts/{account}', {}), /needs account/)
})

test('a path, an input or a reply that the table of operations does not have does not compile', async () => {
  const sent: unknown[] = []
  const call = createAdminCaller(async (...args) => {
    sent.push(args)
    return { keys: [] }
  })

  const { keys } = await call('GET /accounts/{account}/keys', { account: 'a' })
  const typed: AdminReply<'GET /accounts/{account}/keys'>['keys'] = keys
  deepEqual(typed, [])
  await call('GET /accounts')

  // @ts-expect-error no operation has this path
  await call('GET /no/such/path', {})
  // @ts-expect-error the path exists, for other methods
  await call('PUT /accounts/{account}/keys', { account: 'a' })

  // @ts-expect-error the path parameter is missing
  await call('GET /accounts/{account}/keys')
  // @ts-expect-error the operation has no such member
  await call('GET /accounts/{account}/keys', { account: 'a', nonsense: 1 })
  // @ts-expect-error a query parameter of another type
  await call('GET /audit', { limit: 'many' })
  // @ts-expect-error a body of another type
  await call('PATCH /me', { name: 1 })
  // @ts-expect-error an operation without input
  await call('GET /accounts', { account: 'a' })

  // @ts-expect-error the reply has no such member
  equal((await call('GET /accounts/{account}/keys', { account: 'a' })).accounts, undefined)
  // @ts-expect-error a download is opened by its URL
  await call('GET /accounts/{account}/usage/export', { account: 'a' })

  equal(linkOf('GET /usage/export', { span: 'day' }), '/api/v1/usage/export?span=day')
  // @ts-expect-error a span that the operation does not know
  linkOf('GET /usage/export', { span: 'week' })

  deepEqual(sent.slice(0, 3), [
    ['GET /accounts/{account}/keys', { account: 'a' }, undefined],
    ['GET /accounts', {}, undefined],
    ['GET /no/such/path', {}, undefined],
  ])
})
