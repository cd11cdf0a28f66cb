import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { RawConnection } from '../../../test/fakes/raw-http.ts'
import { createIdentityRig } from '../../../test/fakes/people/identity.ts'
import type { Identity } from '../../access/people/identity.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { systemClock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { silentLog } from '../../base/log.ts'
import type { Principal } from '../principal.ts'
import type { AdminOperation, AdminContext, JsonOperation } from '../admin-operation.ts'
import { createAdminOnlyRoutes } from '../../server/open-endpoints.ts'
import { createServer, defaultServerSettings } from '../../http/server.ts'
import { type AdminHandlerDeps, createAdminHandler } from './admin-handler.ts'
import { createAdminApi } from './admin-api.ts'

type Reply = {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
}

const shared = { role: 'anyone', summary: 'A thing of this test.' } as const
const nothing = z.strictObject({})
const echoInput = z.strictObject({ name: z.string().max(20), times: z.int().optional() })
const echoOutput = z.object({ name: z.string() })
const echo = {
  ...shared,
  id: 'echo',
  method: 'POST',
  path: '/echo/{name}',
  input: echoInput,
  output: echoOutput,
  run: (input) => ({ ...input, hash: 'never shown' }),
} satisfies JsonOperation<typeof echoInput, typeof echoOutput>
const plain = {
  ...shared,
  id: 'plain',
  method: 'GET',
  path: '/echo/plain',
  input: nothing,
  output: z.object({ plain: z.literal(true) }),
  run: () => ({ plain: true }),
} satisfies AdminOperation
const enter = {
  ...shared,
  id: 'enter',
  method: 'POST',
  path: '/enter',
  input: nothing,
  output: nothing,
  run(_input, { session }) {
    session.begin({ token: 'token-1', expires: 1_900_000_000_000 })
    return {}
  },
} satisfies AdminOperation
const mine = {
  ...shared,
  role: 'signed-in',
  id: 'mine',
  method: 'GET',
  path: '/mine',
  input: nothing,
  output: z.object({ email: z.string() }),
  run: (_input, { actor }) => ({ email: actor?.kind === 'person' ? actor.email : '' }),
} satisfies AdminOperation
const paper = {
  ...shared,
  id: 'paper',
  method: 'GET',
  path: '/paper',
  form: 'text',
  input: nothing,
  run: () => ({ type: 'text/csv', fileName: 'paper.csv', text: 'a,b\n1,2\n' }),
} satisfies AdminOperation
const ticks = {
  ...shared,
  id: 'ticks',
  method: 'GET',
  path: '/ticks',
  form: 'events',
  input: nothing,
  output: z.object({ tick: z.number() }),
  async *run() {
    yield { tick: 1 }
    yield { tick: 2 }
  },
} satisfies AdminOperation
const watch = {
  ...ticks,
  role: 'signed-in',
  id: 'watch',
  path: '/watch',
  async *run(_input, { signal }) {
    yield { tick: 1 }
    await once(signal, 'abort')
  },
} satisfies AdminOperation
const change = {
  ...shared,
  id: 'change',
  method: 'POST',
  path: '/change',
  role: 'signed-in',
  input: nothing,
  output: nothing,
  run: () => ({}),
} satisfies AdminOperation
const broken = {
  ...shared,
  id: 'broken',
  method: 'GET',
  path: '/broken',
  input: nothing,
  output: nothing,
  run() {
    throw new TypeError('a secret of the inside')
  },
} satisfies AdminOperation

const person: Principal = {
  kind: 'person',
  personId: 'p1',
  email: 'a@example.com',
  operator: false,
  roles: new Map(),
  via: { kind: 'session', id: 's1' },
}

async function start(
  t: TestContext,
  admits = (_address: string) => true,
  more: Partial<AdminHandlerDeps> = {},
) {
  const operations = [echo, plain, enter, mine, paper, ticks, watch, change, broken]
  const api = createAdminHandler({
    operations,
    context: { identity: createIdentityRig() as Identity } as AdminContext,
    changed: () => {},
    findPrincipal: ({ session, token }) => (session === 'good' || token === 'good' ? person : null),
    settings: { hosts: ['cairn.example.com'], admits },
    asKey: async () => false,
    version: '0',
    clock: systemClock,
    log: silentLog,
    ...more,
  })
  const server = createServer({
    settings: { ...defaultServerSettings, listener: 'node' },
    routes: createAdminOnlyRoutes(
      createAdminApi({ api, openApi: () => '{}', openRpc: () => '{}' }),
    ),
    clock: systemClock,
    log: silentLog,
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.drain({ graceMs: 0, deadlineMs: 100 }))
  const own = { 'x-cairn-admin': '1', origin: `http://127.0.0.1:${port}` }
  function request(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sending = httpRequest(
        {
          port,
          host: '127.0.0.1',
          method,
          path,
          headers: { 'content-type': 'application/json', ...headers },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          )
        },
      )
      sending.on('error', reject)
      sending.end(body)
    })
  }
  const stop = () => server.drain({ graceMs: 0, deadlineMs: 3_600_000 })
  return { request, own, port, stop }
}

const codeOf = ({ text }: Reply): string =>
  (JSON.parse(text) as { error: { code: string } }).error.code

test('an operation is given path and body as one, and only the listed fields go out', async (t) => {
  const { request, own } = await start(t)
  const reply = await request('POST', '/api/v1/echo/a%2Fb', own, '{"times":2}')
  deepEqual([reply.status, reply.text], [200, '{"name":"a/b"}'])
  equal(reply.headers['cache-control'], 'no-store')
  equal(reply.headers['access-control-allow-origin'], undefined)
})

test('a path parameter cannot be overridden in the body', async (t) => {
  const { request, own } = await start(t)
  equal((await request('POST', '/api/v1/echo/one', own, '{"name":"two"}')).text, '{"name":"one"}')
})

test('a member that is not in the table, a wrong type, a list and no JSON are refused by name', async (t) => {
  const { request, own } = await start(t)
  for (const body of ['{"operator":true}', '{"__proto__":{}}', '{"times":"2"}', '[]', '{', '1']) {
    const reply = await request('POST', '/api/v1/echo/one', own, body)
    deepEqual([reply.status, codeOf(reply)], [400, 'bad_input'], body)
  }
  match((await request('POST', '/api/v1/echo/one', own, '{"times":"2"}')).text, /"field":"times"/)
  equal(
    (await request('POST', '/api/v1/echo/one', { ...own, 'content-type': 'text/plain' }, '{}'))
      .status,
    415,
  )
  equal((await request('GET', '/api/v1/echo/plain?x=1&x=2')).status, 400)
})

test('a literal path precedes a parameter, a wrong method gets the allowed ones, another path is absent', async (t) => {
  const { request, own } = await start(t)
  equal((await request('GET', '/api/v1/echo/plain')).text, '{"plain":true}')
  const wrong = await request('DELETE', '/api/v1/echo/plain', own)
  deepEqual([wrong.status, wrong.headers['allow']], [405, 'GET'])
  equal(codeOf(await request('GET', '/api/v1/nothing')), 'absent')
  equal(codeOf(await request('GET', '/api/v1/')), 'absent')
})

test('a host name that is not allowed is refused with the setting, which prevents DNS rebinding', async (t) => {
  const { request } = await start(t)
  const refused = await request('GET', '/api/v1/echo/plain', { host: 'evil.example' })
  deepEqual([refused.status, codeOf(refused)], [403, 'wrong_host'])
  match(refused.text, /admin\.hosts/)
  for (const host of ['localhost:1', '127.0.0.1', '[::1]:9', 'cairn.example.com:443']) {
    equal((await request('GET', '/api/v1/echo/plain', { host })).status, 200, host)
  }
})

test('an address outside the list is refused', async (t) => {
  const { request } = await start(t, () => false)
  equal(codeOf(await request('GET', '/api/v1/echo/plain')), 'wrong_address')
})

test('what changes something must come from the page itself, unless a token brings it', async (t) => {
  const { request, own, port } = await start(t)
  const guard = { 'x-cairn-admin': '1' }
  const tries: readonly (readonly [Record<string, string>, number])[] = [
    [{}, 403],
    [{ origin: own.origin }, 403],
    [guard, 403],
    [{ ...guard, origin: 'http://evil.example' }, 403],
    [{ ...guard, origin: 'null' }, 403],
    [{ ...guard, origin: `http://localhost:${port}` }, 403],
    [{ ...guard, 'sec-fetch-site': 'cross-site' }, 403],
    [{ ...guard, 'sec-fetch-site': 'same-site' }, 403],
    [{ ...guard, 'sec-fetch-site': 'same-origin' }, 200],
    [own, 200],
    [{ authorization: 'Bearer good' }, 200],
  ]
  for (const [headers, status] of tries) {
    const reply = await request('POST', '/api/v1/echo/one', {
      ...headers,
      cookie: `cairn-session-${port}=good`,
    })
    equal(reply.status, status, JSON.stringify(headers))
  }
})

test('a session is a cookie that scripts cannot read, tied to TLS away from loopback', async (t) => {
  const { request, own, port } = await start(t)
  const near = await request('POST', '/api/v1/enter', own)
  match(
    String(near.headers['set-cookie']),
    new RegExp(`^cairn-session-${port}=token-1; Path=/; Expires=[^;]+; HttpOnly; SameSite=Lax$`),
  )
  const host = 'cairn.example.com'
  const far = await request('POST', '/api/v1/enter', { ...own, host, origin: `https://${host}` })
  match(
    String(far.headers['set-cookie']),
    /^__Host-cairn=token-1; .*HttpOnly; SameSite=Lax; Secure$/,
  )
})

test('a session of one port is none of another: browsers send every cookie of a name to all of its ports', async (t) => {
  const { request } = await start(t)
  const get = async (host: string, cookie: string) =>
    (await request('GET', '/api/v1/mine', { host, cookie })).status
  equal(await get('localhost:8600', 'cairn-session-8600=good; cairn-session-8545=bad'), 200)
  equal(await get('localhost:8545', 'cairn-session-8600=good; cairn-session-8545=bad'), 401)
  equal(await get('localhost', 'cairn-session=good; cairn-session-8545=bad'), 200)
  equal(await get('cairn.example.com:8443', '__Host-cairn-8443=good; __Host-cairn=bad'), 200)
})

test('over loopback behind TLS, a request without Origin uses the session of the page', async (t) => {
  const { request, own } = await start(t)
  const host = 'localhost:8443'
  const origin = `https://${host}`
  const entered = await request('POST', '/api/v1/enter', { ...own, host, origin })
  match(String(entered.headers['set-cookie']), /^__Host-cairn-8443=token-1; .*; Secure$/)
  const cookie = '__Host-cairn-8443=good'
  equal((await request('GET', '/api/v1/mine', { host, cookie })).status, 200)
  equal((await request('GET', '/api/v1/mine', { host, cookie, origin })).status, 200)
  // A cookie without TLS protection never replaces one with it.
  const plain = `${cookie.replace('good', 'bad')}; cairn-session-8443=good`
  equal((await request('GET', '/api/v1/mine', { host, cookie: plain })).status, 401)
})

test('a caller is identified by cookie or token; two cookies of one name are ignored', async (t) => {
  const { request, port } = await start(t)
  const good = `cairn-session-${port}=good`
  const get = (headers: Record<string, string>) => request('GET', '/api/v1/mine', headers)
  equal((await get({ cookie: `a=b; ${good}` })).text, '{"email":"a@example.com"}')
  equal((await get({ authorization: 'Bearer good' })).status, 200)
  equal(codeOf(await get({})), 'signed_out')
  equal(codeOf(await get({ cookie: good.replace('good', 'bad') })), 'signed_out')
  equal(codeOf(await get({ cookie: `${good}; ${good}` })), 'signed_out')
  // A valid cookie does not replace an invalid token.
  equal(codeOf(await get({ authorization: 'Bearer bad', cookie: good })), 'signed_out')
})

test('documents are saved, events are sent one by one, and a bug reveals no details', async (t) => {
  const { request } = await start(t)
  const document = await request('GET', '/api/v1/paper')
  equal(document.headers['content-disposition'], 'attachment; filename="paper.csv"')
  equal(document.headers['content-type'], 'text/csv; charset=utf-8')
  const events = await request('GET', '/api/v1/ticks')
  equal(events.text, ': here\n\ndata: {"tick":1}\n\ndata: {"tick":2}\n\n')
  const bug = await request('GET', '/api/v1/broken')
  deepEqual(
    [bug.status, bug.text],
    [500, `{"error":{"code":"internal","message":"${new Fault('internal').message}"}}`],
  )
})

test('a body over the cap is refused before it is read', async (t) => {
  const { request, own } = await start(t)
  equal(
    (await request('POST', '/api/v1/echo/one', own, `{"a":"${'x'.repeat(1_100_000)}"}`)).status,
    413,
  )
})

test('events end when the session does', async (t) => {
  const clock = createManualClock()
  let requestCount = 0
  const findPrincipal = () => (++requestCount > 2 ? null : person)
  const { request } = await start(t, undefined, { clock, findPrincipal })
  let ended = false
  const reply = request('GET', '/api/v1/watch').finally(() => (ended = true))
  while (!ended) {
    if (requestCount > 0) clock.advance(15_000)
    for (let n = 0; n < 20; n++) await setImmediate()
  }
  match((await reply).text, /^: here\n\ndata: \{"tick":1\}\n\n(:\n\n)+$/)
  ok(requestCount > 2)
})

test('events end at once when the server stops', async (t) => {
  const { port, stop } = await start(t)
  const view = new RawConnection(port)
  const head = 'GET /api/v1/watch HTTP/1.1\r\nHost: localhost\r\n'
  view.socket.write(`${head}Authorization: Bearer good\r\n\r\n`)
  await view.until('"tick":1')
  await stop()
  match(await view.end(), /\r\n0\r\n\r\n$/)
})

test('a person has sixteen live views; other people are not affected, and closing one frees its place', async (t) => {
  const other: Principal = { ...person, personId: 'p2' }
  const findPrincipal = ({ token }: { readonly token: string | null }) =>
    token === 'other' ? other : person
  const { request, port } = await start(t, undefined, { findPrincipal })
  const open = (token: string) => {
    const view = new RawConnection(port)
    t.after(() => view.socket.destroy())
    const head = `GET /api/v1/watch HTTP/1.1\r\nHost: localhost\r\n`
    view.socket.write(`${head}Authorization: Bearer ${token}\r\n\r\n`)
    return view
  }
  const views = Array.from({ length: 16 }, () => open('one'))
  for (const view of views) match(await view.until('"tick":1'), /^HTTP\/1.1 200 /)
  const refused = await request('GET', '/api/v1/watch', { authorization: 'Bearer one' })
  deepEqual([refused.status, codeOf(refused)], [503, 'overloaded'])
  match(await open('other').until('"tick":1'), /^HTTP\/1.1 200 /)
  const [first] = views
  first?.socket.destroy()
  await first?.end()
  // The server notices the disconnect a little later.
  let again = open('one')
  while (!(await again.until('\r\n\r\n')).startsWith('HTTP/1.1 200 ')) again = open('one')
})

test('slow bodies of unknown callers block neither other unknown callers nor signed-in people', async (t) => {
  const { request, own, port } = await start(t)
  const head = `POST /api/v1/echo/a HTTP/1.1\r\nHost: localhost:${port}\r\nX-Cairn-Admin: 1\r\nOrigin: http://localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`
  const pending = Array.from({ length: 40 }, () => {
    const stranger = new RawConnection(port)
    t.after(() => stranger.socket.destroy())
    stranger.socket.write(head)
    return stranger
  })
  // The server waits for each body.
  for (const stranger of pending) match(await stranger.until('\r\n\r\n'), /^HTTP\/1.1 100 /)
  equal((await request('POST', '/api/v1/echo/a', own, '{"times":2}')).status, 200)
  const known = await request('GET', '/api/v1/mine', { authorization: 'Bearer good' })
  equal(known.status, 200)
  pending[0]?.socket.write('{"times":')
  match(await (pending[0] as RawConnection).until('"code"'), /bad_input/)
})

test('requests that one person holds open do not shut out another', async (t) => {
  const other: Principal = { ...person, personId: 'p2' }
  const findPrincipal = ({ token }: { readonly token: string | null }) =>
    token === 'other' ? other : person
  const { request, port } = await start(t, undefined, { findPrincipal })
  const head = `POST /api/v1/echo/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer one\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`
  const pending = Array.from({ length: 64 }, () => {
    const asking = new RawConnection(port)
    t.after(() => asking.socket.destroy())
    asking.socket.write(head)
    return asking
  })
  for (const asking of pending) match(await asking.until('\r\n\r\n'), /^HTTP\/1.1 100 /)
  const refused = await request('GET', '/api/v1/mine', { authorization: 'Bearer one' })
  deepEqual([refused.status, codeOf(refused)], [503, 'overloaded'])
  equal((await request('GET', '/api/v1/mine', { authorization: 'Bearer other' })).status, 200)
  pending[0]?.socket.write('{}')
  match(await (pending[0] as RawConnection).until('"name"'), /HTTP\/1.1 200 /)
  equal((await request('GET', '/api/v1/mine', { authorization: 'Bearer one' })).status, 200)
})

test('a session that ended during the upload of its body has no more rights', async (t) => {
  let actor: Principal | null = person
  const findPrincipal = () => actor
  const { port } = await start(t, undefined, { findPrincipal })
  const head = `POST /api/v1/change HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer one\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`
  const asking = new RawConnection(port)
  t.after(() => asking.socket.destroy())
  asking.socket.write(head)
  match(await asking.until('\r\n\r\n'), /^HTTP\/1.1 100 /)
  actor = null
  asking.socket.write('{}')
  match(await asking.until('}'), /HTTP\/1.1 401 [^]*"signed_out"/)
})

test('HEAD of live events opens no stream', async (t) => {
  const { request } = await start(t)
  const reply = await request('HEAD', '/api/v1/ticks')
  deepEqual([reply.status, reply.headers['allow']], [405, 'GET'])
})
