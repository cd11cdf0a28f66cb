// Many WebSockets, and WebSockets that do not read: memory remains constant and other clients are served in the meantime.
import assert from 'node:assert/strict'
import { platform } from 'node:process'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { RawConnection } from '../fakes/raw-http.ts'
import { openWebSocket, refusedUpgrade, type WebSocketClient } from '../fakes/web-socket-client.ts'
import { type Started, startCairn } from '../started-server.ts'
import { readFigures } from './process-figures.ts'

const subscriptions = 1_024

suite('connections that stay', { skip: platform !== 'linux' && 'needs /proc' }, () => {
  let cairn: Started
  let url: string
  before(async () => {
    cairn = await startCairn()
    url = `${cairn.url}/ws/v3/${cairn.apiKey}`
    // The first block starts the chain thread, whose memory must not count.
    await cairn.rpc('evm_mine')
  })
  after(() => cairn.stop())

  const residentMiB = async () => (await readFigures(cairn.child.pid)).residentMiB

  async function openMany(count: number): Promise<readonly WebSocketClient[]> {
    const clients: WebSocketClient[] = []
    while (clients.length < count) {
      const wave = Math.min(50, count - clients.length)
      clients.push(...(await Promise.all(Array.from({ length: wave }, () => openWebSocket(url)))))
    }
    return clients
  }

  test('a thousand idle connections use little memory and receive each block; one more is refused', async () => {
    const warm = await openMany(50)
    await Promise.all(warm.map((client) => client.ask('eth_subscribe', 'newHeads')))
    await cairn.rpc('evm_mine')
    await Promise.all(warm.map((client) => client.next()))
    const before = await residentMiB()
    const clients = [...warm, ...(await openMany(950))]
    await Promise.all(clients.slice(50).map((client) => client.ask('eth_subscribe', 'newHeads')))
    const refused = await refusedUpgrade(url)
    assert.equal(refused.status, 429)
    await cairn.rpc('evm_mine')
    const heads = await Promise.all(clients.map((client) => client.nextJson()))
    assert.equal(heads.length, 1_000)
    const grown = (await residentMiB()) - before
    assert.ok(grown < 96, `${grown} MiB more for 950 connections`)
    await Promise.all(clients.map((client) => client.close()))
  })

  test('a subscriber that reads nothing is disconnected within bounded memory, and others receive every event', async () => {
    const deaf = await openWebSocket(url)
    for (let made = 0; made < subscriptions; made += 1) await deaf.ask('eth_subscribe', 'newHeads')
    const listening = await openWebSocket(url)
    await listening.ask('eth_subscribe', 'newHeads')
    deaf.socket.pause()
    const before = await residentMiB()
    const blocks = 60
    for (let mined = 0; mined < blocks; mined += 1) await cairn.rpc('evm_mine')
    const numbers: number[] = []
    while (numbers.length < blocks) {
      const { params } = await listening.nextJson<{ params: { result: { number: string } } }>()
      numbers.push(Number(params.result.number))
    }
    const [first = 0] = numbers
    assert.deepEqual(
      numbers,
      Array.from({ length: blocks }, (_, at) => first + at),
    )
    const grown = (await residentMiB()) - before
    assert.ok(grown < 96, `${grown} MiB more for who does not read`)
    deaf.socket.resume()
    const { code } = await deaf.ended
    assert.ok(code === 1013 || code === 1006, String(code))
    assert.ok(deaf.frames.length < subscriptions * blocks)
    await listening.close()
  })

  test('after arbitrary bytes behind the upgrade, each connection ends or is answered', async () => {
    const { port } = new URL(url)
    const path = `/ws/v3/${cairn.apiKey}`
    const handshake = `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
    const seed = Math.floor(Math.random() * 2 ** 31)
    // The first byte of a frame is valid half of the time, so that some frames are parsed further.
    const frame = fc.tuple(
      fc.constantFrom(0x81, 0x01, 0x80, 0x82, 0x88, 0x89, 0xc1, 0xff),
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
    )
    const samples = fc.sample(fc.array(frame, { minLength: 1, maxLength: 5 }), {
      numRuns: 400,
      seed,
    })
    for (const frames of samples) {
      const connection = new RawConnection(Number(port))
      connection.socket.write(handshake)
      assert.match(await connection.until('\r\n\r\n'), /^HTTP\/1.1 101 /, `seed ${seed}`)
      for (const [first, rest] of frames) connection.socket.write(Uint8Array.of(first, ...rest))
      connection.socket.end()
      await connection.end()
    }
  })

  test('the same process serves requests after all attacks', async () => {
    const client = await openWebSocket(url)
    assert.equal((await client.ask('eth_chainId')).result, '0x539')
    await client.close()
    assert.equal(cairn.child.exitCode, null)
  })
})
