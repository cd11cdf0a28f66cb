// Malformed requests over raw sockets: as many replies as requests, no reply to a smuggled request, and the next call on
// the connection gets its own reply or none.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Started, startCairn } from '../started-server.ts'
import { findNginx, type Nginx, startNginx } from './nginx.ts'
import { exchangeBytes, parseReplies } from './raw-replies.ts'
import { goodCall, hiddenId, type RawRequest, rawRequests } from './raw-requests.ts'

const names = rawRequests('/v3/x').map(({ name }) => name)
const nginxProgram = findNginx()

suite('requests no client sends', () => {
  let cairn: Started
  let path: string
  let probes: ReadonlyMap<string, RawRequest>
  let seen = 0
  before(async () => {
    cairn = await startCairn({ env: { CAIRN_LOG_LEVEL: 'debug' } })
    cairn.child.stderr?.setEncoding('utf8')
    cairn.child.stderr?.on('data', (text: string) => {
      seen += text.split('"event":"request"').length - 1
    })
    path = `/v3/${cairn.apiKey}`
    probes = new Map(rawRequests(path).map((probe) => [probe.name, probe]))
  })
  after(() => cairn.stop())

  async function send(port: number, name: string): Promise<string> {
    const probe = probes.get(name) as RawRequest
    const id = `after ${name}`
    const good = probe.hangUp === true ? '' : goodCall(path, id, 'Connection: close\r\n')
    const received = await exchangeBytes(port, probe.bytes + good, probe.hangUp)
    assert.ok(!received.includes(`"id":"${hiddenId}"`), `a hidden call was answered: ${received}`)
    const replies = parseReplies(received, probe.heads)
    return replies
      .map(({ status, body }) => {
        const own = status === 200 && body === `{"jsonrpc":"2.0","id":"${id}","result":"0x539"}`
        return own ? 'after' : String(status)
      })
      .join(' ')
  }

  suite('at the server itself', () => {
    for (const name of names) {
      test(`${name}: as many answers as requests`, async () => {
        const outcome = await send(Number(new URL(cairn.url).port), name)
        const { direct } = probes.get(name) as RawRequest
        assert.ok(
          direct.includes(outcome),
          `got "${outcome}", not one of ${JSON.stringify(direct)}`,
        )
      })
    }
  })

  suite(
    'behind nginx',
    { skip: nginxProgram === null && 'nginx is not installed: left out' },
    () => {
      let nginx: Nginx
      before(async () => {
        nginx = await startNginx(nginxProgram as string, Number(new URL(cairn.url).port))
        seen = 0
      })
      after(async () => {
        // Checked after all requests: the server received no request that nginx did not send.
        const sent = await nginx.passedOn()
        await nginx.stop()
        assert.ok(seen <= sent, `${seen} seen, ${sent} sent`)
        assert.ok(seen > names.length, `only ${seen} seen`)
      })

      for (const name of names) {
        test(`${name}: no smuggled request is answered, and the next call gets its own reply`, async () => {
          const outcome = await send(nginx.port, name)
          // nginx refuses and repairs by its own rules, so only the shape is checked: `after` comes last, once.
          assert.match(outcome, /^(?:\d{3}(?: \d{3})*)?(?: ?after)?$/)
          const next = await exchangeBytes(
            nginx.port,
            goodCall(path, 'next', 'Connection: close\r\n'),
          )
          assert.match(next, /\{"jsonrpc":"2\.0","id":"next","result":"0x539"\}$/)
        })
      }
    },
  )

  test('the same process serves requests after all attacks', async () => {
    assert.equal(cairn.child.exitCode, null)
    assert.equal((await cairn.rpc('eth_chainId')).result, '0x539')
  })
})
