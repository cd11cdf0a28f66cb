import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { parseTarget } from '../../base/outbound.ts'
import { createOutboundPost } from './outbound-post.ts'

async function sink(t: TestContext, status = 200) {
  const received: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push(`${request.method} ${request.url} ${String(request.headers['x-a'])} ${body}`)
      response.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(100_000))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { received, port: (server.address() as AddressInfo).port }
}

/** Spellings of internal addresses; a URL can write the same address in many ways. */
const inside = `
  127.0.0.1 2130706433 0x7f000001 0177.0.0.1 127.1 0 10.1.2.3 0xa.1.2.3 169.254.169.254
  2852039166 0xA9FEA9FE 100.64.1.1 172.20.0.1 192.168.1.1 3232235777 [::1] [::]
  [::ffff:127.0.0.1] [::ffff:7f00:1] [fe80::1] [fd00:ec2::254] [64:ff9b::7f00:1]
  [2002:7f00:1::] [::7f00:1] 0300.0250.1.1
`
  .trim()
  .split(/\s+/)

test('no spelling of an internal address opens a socket', async (t) => {
  const { received, port } = await sink(t)
  const outward = createOutboundPost({ clock: systemClock, anywhere: () => false })
  for (const host of inside) {
    const refused = /is not on the public internet/
    await assert.rejects(outward.post(`https://${host}:${port}/`, '{}', {}), refused, host)
  }
  assert.deepEqual(received, [])
})

test('a name is resolved once, and one inside address among its answers is enough', async () => {
  const answers = [['93.184.216.34', '10.0.0.1'], ['127.0.0.1'], ['::ffff:10.0.0.1'], ['fe80::1']]
  for (const addresses of answers) {
    let requestCount = 0
    const resolve = async () => (requestCount++ === 0 ? addresses : ['93.184.216.34'])
    const outward = createOutboundPost({ clock: systemClock, anywhere: () => false, resolve })
    await assert.rejects(outward.post('https://rebinding.example/', '{}', {}), /not on the public/)
    assert.equal(requestCount, 1)
  }
})

test('the socket connects to the address that was checked, even if the name resolves differently later', async (t) => {
  const { received, port } = await sink(t)
  let count = 0
  const resolve = async () => [count++ === 0 ? '127.0.0.1' : '192.0.2.1']
  const outward = createOutboundPost({ clock: systemClock, anywhere: () => true, resolve })
  assert.equal(await outward.post(`http://hook.example:${port}/a?b=1`, '{}', { 'x-a': 'c' }), 200)
  assert.deepEqual([received, count], [['POST /a?b=1 c {}'], 1])
})

test('a redirect is not followed', async (t) => {
  const { received, port } = await sink(t, 302)
  const outward = createOutboundPost({ clock: systemClock, anywhere: () => true })
  assert.equal(await outward.post(`http://127.0.0.1:${port}/`, '{}', {}), 302)
  assert.equal(received.length, 1)
})

test('a webhook is an https URL without credentials', () => {
  assert.equal(parseTarget('https://example.com/a?b=1', false).hostname, 'example.com')
  assert.equal(parseTarget('http://example.com/', true).protocol, 'http:')
  for (const wrong of [
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'example.com',
    '',
    'https://a:b@example.com/',
    'https://example.com/#a',
    `https://${'a'.repeat(3000)}.com/`,
  ]) {
    assert.throws(() => parseTarget(wrong, false), { code: 'bad_input' }, wrong)
  }
})
