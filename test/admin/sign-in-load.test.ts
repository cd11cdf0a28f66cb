// Sign-in remains available during slow bodies and wrong passwords from other clients.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { firstPerson, openAdminClient, takeFirstRun } from '../fakes/people/admin-client.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started

before(async () => {
  cairn = await startCairn()
  await takeFirstRun(cairn)
})
after(() => cairn.stop())

const { email, password } = firstPerson

/** Sends the head of a sign-in and a part of its body, from this loopback address. */
async function openSlowSignIn(localAddress: string): Promise<Socket> {
  const { hostname, port, host, origin } = new URL(cairn.url)
  const socket = connect({ host: hostname, port: Number(port), localAddress })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = [
    'POST /api/v1/session HTTP/1.1',
    `host: ${host}`,
    `origin: ${origin}`,
    'x-cairn-admin: 1',
    'content-type: application/json',
    'content-length: 60',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n{"email":`)
  return socket
}

test('128 slow bodies from 8 addresses do not block sign-in', async () => {
  const sockets: Socket[] = []
  try {
    for (let n = 0; n < 128; n++) sockets.push(await openSlowSignIn(`127.0.0.${10 + (n % 8)}`))
    // The server processes these after the slow ones.
    assert.equal((await fetch(`${cairn.url}/readyz`)).status, 200)
    const reply = await openAdminClient(cairn.url).ask('POST', '/session', { email, password })
    assert.equal(reply.status, 200, reply.message)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

test('an unauthenticated client can send at most 16 KiB, and a stalled body is closed after 3 seconds', async () => {
  const client = openAdminClient(cairn.url)
  const long = await client.ask('POST', '/session', { email, password: 'x'.repeat(17_000) })
  assert.equal(long.status, 413)
  const socket = await openSlowSignIn('127.0.0.1')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 408 /)
  socket.destroy()
})

test('wrong passwords from other clients do not lock out a browser that signed in before', async (t) => {
  // The address of the wrong passwords is locked out, so no other test may share this server.
  const own = await startCairn()
  t.after(() => own.stop())
  await takeFirstRun(own)
  const known = openAdminClient(own.url)
  const first = await known.ask('POST', '/session', { email, password })
  const device = /cairn-device[^;]+/.exec(first.setCookie ?? '')?.[0] ?? ''
  const stranger = openAdminClient(own.url)
  const replies = []
  for (let n = 0; n < 12; n++) {
    replies.push(await stranger.ask('POST', '/session', { email, password: 'not this one' }))
  }
  assert.equal(replies.at(-1)?.status, 429)
  assert.equal((await stranger.ask('POST', '/session', { email, password })).status, 429)
  const back = await known.ask('POST', '/session', { email, password }, { cookie: device })
  assert.equal(back.status, 200, back.message)
})
