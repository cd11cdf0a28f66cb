// Audit and sign-in events of a started server, received by a real webhook and real syslog servers.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { EventDocument } from '../../src/access/events/event-document.ts'
import { firstPerson, openAdminClient, takeFirstRun } from '../fakes/people/admin-client.ts'
import { startCairn } from '../started-server.ts'

/** Received items; `until` waits for one that matches. */
function createInbox<Item>() {
  const items: Item[] = []
  let wake = (): void => {}
  return {
    items,
    add(item: Item): void {
      items.push(item)
      wake()
    },
    async until(fits: (item: Item) => boolean): Promise<Item> {
      for (;;) {
        const found = items.find(fits)
        if (found !== undefined) return found
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}

type Posted = {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: EventDocument
}

/** Replies to the first request with 500. */
async function startWebhook(t: TestContext) {
  const inbox = createInbox<Posted>()
  let requests = 0
  const server = createHttpServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      requests++
      response.writeHead(requests === 1 ? 500 : 204).end()
      const event = JSON.parse(body) as EventDocument
      if (requests > 1) inbox.add({ headers: request.headers, body, event })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { ...inbox, port: (server.address() as AddressInfo).port }
}

const isAction =
  (action: string) =>
  (event: EventDocument): boolean =>
    event.type === 'audit' && event.action === action

const secret = 'a secret of sixteen or more'.replaceAll(' ', '-')

test('a webhook gets signed sign-ins, refused sign-ins and changes, also those of commands, and loses none to an error', async (t) => {
  const webhook = await startWebhook(t)
  const server = await startCairn({
    env: {
      CAIRN_EVENTS_WEBHOOK: `http://127.0.0.1:${webhook.port}/hook?token=t0p`,
      CAIRN_EVENTS_WEBHOOK_SECRET: secret,
    },
  })
  t.after(() => server.stop())
  await takeFirstRun(server)
  await server.cli('accounts', 'create', 'by-command')

  const client = openAdminClient(server.url)
  const { email, password } = firstPerson
  const wrong = await client.ask('POST', '/session', { email, password: 'not the password' })
  assert.equal(wrong.status, 401)
  const right = await client.ask('POST', '/session', { email, password })
  assert.equal(right.status, 200)

  const made = await webhook.until(({ event }) => isAction('createAccount')(event))
  assert.equal(made.event.type === 'audit' && made.event.actor.id, 'local')
  const signedIn = await webhook.until(({ event }) => isAction('signIn')(event))
  assert.equal(signedIn.event.type === 'audit' && signedIn.event.actor.name, email)
  const refused = await webhook.until(({ event }) => event.type === 'sign_in_refused')
  assert.equal(refused.event.type === 'sign_in_refused' && refused.event.code, 'bad_sign_in')
  assert.equal(refused.event.type === 'sign_in_refused' && refused.event.address, '127.0.0.1')
  // The first request failed, so its event was sent again, before the others.
  assert.ok(webhook.items[0]?.event.type === 'audit')

  for (const { headers, body } of webhook.items) {
    const seconds = String(headers['x-cairn-timestamp'])
    const expected = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
    assert.equal(headers['x-cairn-signature'], `v1=${expected}`)
    assert.equal(headers['content-type'], 'application/json')
    assert.doesNotMatch(body, /not the password|a stone on a stone/)
  }
  const ids = webhook.items.map(({ event }) => event.id)
  assert.equal(new Set(ids).size, ids.length)
})

const syslogForm =
  /^<(85|84)>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S+ cairn \d+ (audit|sign_in_refused) - (\{.*\})$/

function parseSyslog(text: string): EventDocument {
  const [, , , json = ''] = syslogForm.exec(text) ?? assert.fail(`not RFC 5424: ${text}`)
  return JSON.parse(json) as EventDocument
}

async function refuseOnce(url: string): Promise<void> {
  const client = openAdminClient(url)
  await client.ask('POST', '/session', { email: 'ada@example.org', password: 'not the password' })
}

test('a syslog server gets the events over UDP', async (t) => {
  const inbox = createInbox<EventDocument>()
  const socket = createSocket('udp4', (message) => inbox.add(parseSyslog(message.toString())))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  const env = { CAIRN_EVENTS_SYSLOG: `udp://127.0.0.1:${socket.address().port}` }
  const server = await startCairn({ env })
  t.after(() => server.stop())
  await server.cli('accounts', 'create', 'other')
  await refuseOnce(server.url)
  await inbox.until(isAction('createAccount'))
  await inbox.until(({ type }) => type === 'sign_in_refused')
})

test('a syslog server gets the events over TCP in counted octets, also after it was away', async (t) => {
  const inbox = createInbox<EventDocument>()
  const sockets = new Set<Socket>()
  const take = (socket: Socket): void => {
    sockets.add(socket)
    let bytes = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      for (;;) {
        const space = bytes.indexOf(' ')
        const length = Number(bytes.toString('latin1', 0, Math.max(0, space)))
        if (space < 1 || bytes.length < space + 1 + length) return
        inbox.add(parseSyslog(bytes.toString('utf8', space + 1, space + 1 + length)))
        bytes = bytes.subarray(space + 1 + length)
      }
    })
  }
  const listen = async (port: number) => {
    const server = createServer(take).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const first = await listen(0)
  const { port } = first.address() as AddressInfo
  const server = await startCairn({ env: { CAIRN_EVENTS_SYSLOG: `tcp://127.0.0.1:${port}` } })
  t.after(() => server.stop())
  await refuseOnce(server.url)
  await inbox.until(({ type }) => type === 'sign_in_refused')

  first.close()
  for (const socket of sockets) socket.destroy()
  const second = await listen(port)
  t.after(() => {
    second.close()
    for (const socket of sockets) socket.destroy()
  })
  await server.cli('accounts', 'create', 'other')
  await inbox.until(isAction('createAccount'))
})
