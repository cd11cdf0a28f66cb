// Light clients of `/ipfs/<cid>` against a started server: they verify every block against its hash. `@ipld/car` parses the CARs,
// so that another implementation checks their format.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { CarBlockIterator } from '@ipld/car/iterator'
import { CID } from 'multiformats/cid'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeDagNode } from '../../src/codec/ipld/dag-pb.ts'
import { decodeUnixfs } from '../../src/codec/ipld/unixfs.ts'
import { dagPbCodec } from '../../src/codec/ipld/cid.ts'
import { verifyDagBlock } from '../../src/codec/ipld/verify-dag-block.ts'
import { sendRaw } from '../fakes/raw-http.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

/** 5 MiB in which every block is different. */
const large = Buffer.alloc(5 * 1024 * 1024 + 77, 'readers ')
for (let at = 0; at < large.length - 4; at += 65_536) large.writeUInt32BE(at, at)

const basicOf = ({ apiKey, apiKeySecret }: Pick<Started, 'apiKey' | 'apiKeySecret'>) =>
  `Basic ${Buffer.from(`${apiKey}:${apiKeySecret}`).toString('base64')}`

async function add(server: Started, parts: readonly (readonly [string, Uint8Array])[], query = '') {
  const form = new FormData()
  for (const [name, bytes] of parts) form.append('file', new Blob([Uint8Array.from(bytes)]), name)
  const response = await fetch(`${server.url}/api/v0/add?${query}`, {
    method: 'POST',
    headers: { authorization: basicOf(server) },
    body: form,
  })
  assert.equal(response.status, 200)
  const lines = (await response.text()).trimEnd().split('\n')
  return (JSON.parse(lines.at(-1) ?? '') as { Hash: string }).Hash
}

/** Verified blocks of a CAR by multihash. */
async function blocksOf(response: Response): Promise<ReadonlyMap<string, Uint8Array>> {
  assert.equal(response.status, 200)
  const car = await CarBlockIterator.fromIterable(
    response.body as unknown as AsyncIterable<Uint8Array>,
  )
  const blocks = new Map<string, Uint8Array>()
  for await (const { cid, bytes } of car) {
    verifyDagBlock(cid.multihash.bytes, bytes)
    blocks.set(Buffer.from(cid.multihash.bytes).toString('hex'), bytes)
  }
  return blocks
}

/** The bytes of a file, assembled only from verified blocks. */
function fileOf(cid: CID, blocks: ReadonlyMap<string, Uint8Array>): Buffer {
  const block = blocks.get(Buffer.from(cid.multihash.bytes).toString('hex'))
  assert.ok(block !== undefined, `no block of ${cid.toString()}`)
  if (cid.code !== dagPbCodec) return Buffer.from(block)
  const { links, data } = decodeDagNode(block)
  const inline = decodeUnixfs(data ?? new Uint8Array(0)).data ?? new Uint8Array(0)
  return Buffer.concat([inline, ...links.map((link) => fileOf(CID.decode(link.cid), blocks))])
}

for (const listener of ['lean', 'node']) {
  suite(`behind the ${listener} listener`, () => {
    let server: Started
    before(async () => {
      server = await startCairn({ env: { CAIRN_HTTP_LISTENER: listener } })
    })
    after(() => server.stop())
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${server.url}/ipfs/${path}`, {
        headers: { authorization: basicOf(server), ...headers },
        redirect: 'manual',
      })

    test('a light client gets a file as a CAR or block by block, and accepts only blocks with a valid hash', async () => {
      const cid = await add(server, [['large', large]])
      const car = await get(`${cid}?format=car`, { accept: 'application/vnd.ipld.car' })
      assert.ok(fileOf(CID.parse(cid), await blocksOf(car)).equals(large))

      const blocks = new Map<string, Uint8Array>()
      const wanted = [CID.parse(cid)]
      for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
        const response = await get(next.toString(), { accept: 'application/vnd.ipld.raw' })
        const block = new Uint8Array(await response.arrayBuffer())
        verifyDagBlock(next.multihash.bytes, block)
        blocks.set(Buffer.from(next.multihash.bytes).toString('hex'), block)
        if (next.code !== dagPbCodec) continue
        for (const link of decodeDagNode(block).links) wanted.push(CID.decode(link.cid))
      }
      assert.ok(fileOf(CID.parse(cid), blocks).equals(large))
    })

    test('gateway reads share a connection with calls and commands', async () => {
      const authorization = basicOf(server)
      const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
      const head = (line: string, more = '') => `${line} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
      const rpc = head(
        `POST /v3/${server.apiKey}`,
        `content-type: application/json\r\ncontent-length: ${call.length}\r\n`,
      )
      const text = await sendRaw(
        Number(new URL(server.url).port),
        rpc + call,
        head('GET /ipfs/bafkqaaa?format=raw', `authorization: ${authorization}\r\n`),
        rpc + call,
        head(
          'GET /ipfs/notacid?format=raw',
          `authorization: ${authorization}\r\nconnection: close\r\n`,
        ),
      )
      assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), [
        'HTTP/1.1 200',
        'HTTP/1.1 200',
        'HTTP/1.1 200',
        'HTTP/1.1 400',
      ])
    })

    test('a reader that disconnects in the middle retains nothing, and many in a row are served', async () => {
      const cid = await add(server, [['large', large]])
      for (let round = 0; round < 80; round++) {
        const asked = request(`${server.url}/ipfs/${cid}?format=car`, {
          headers: { authorization: basicOf(server) },
          agent: false,
        }).end()
        const [response] = (await once(asked, 'response')) as [import('node:http').IncomingMessage]
        assert.equal(response.statusCode, 200)
        response.destroy()
        await once(response, 'close')
      }
      const last = await get(`${cid}?format=raw`)
      assert.equal(last.status, 200)
      await last.arrayBuffer()
    })
  })
}

test('access follows the settings while the server runs', async (t) => {
  const folder = await temporaryFolder()
  const config = join(folder, 'cairn.yaml')
  const deny = join(folder, 'deny.txt')
  await writeFile(deny, '# nothing yet\n')
  const written = (lines: string) =>
    writeFile(config, `gateway:\n  denyFile: ${deny}\n  requestsPerSecondMax: 0\n${lines}`)
  await written('')
  const server = await startCairn({ args: ['--config', config] })
  t.after(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })
  const change = async (lines: string) => {
    await written(lines)
    server.child.kill('SIGHUP')
  }
  const status = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/ipfs/${path}`, { headers })
    await response.arrayBuffer()
    return response.status
  }
  const turns = async (path: string, wanted: number) => {
    const until = performance.now() + 60_000
    let last = 0
    while (performance.now() < until) {
      last = await status(path)
      if (last === wanted) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    assert.fail(`${path} is still ${last}, not ${wanted}`)
  }
  const pinAgain = async (cid: string, options: string) => {
    const response = await fetch(`${server.url}/api/v0/pin/add?arg=${cid}${options}`, {
      method: 'POST',
      headers: { authorization: basicOf(server) },
    })
    assert.equal(response.status, 200)
    await response.arrayBuffer()
  }
  /** Waits until the server has applied the key's setting, after which its pins are private. */
  const turnsPrivate = async (cairn: Started) => {
    const until = performance.now() + 30_000
    for (let at = 0; performance.now() < until; at++) {
      const cid = await add(cairn, [['k', Buffer.from(`of the key ${at}`)]])
      if ((await status(`${cid}?format=raw`)) === 401) return
    }
    assert.fail('pins of the key are still public')
  }
  const pinned = await add(server, [['a', Buffer.from('pinned')]])
  const loose = await add(server, [['b', Buffer.from('loose')]], 'pin=false')
  assert.equal(await status(`${pinned}?format=raw`), 401)
  await change('  public: true\n  deserialized: true\n')
  await turns(pinned, 200)
  assert.equal(await status(`${loose}?format=raw`), 200)
  await change('  public: true\n  pinnedOnly: true\n')
  await turns(`${loose}?format=raw`, 404)
  assert.equal(await status(`${pinned}?format=raw`), 200)
  await writeFile(deny, `/ipfs/${pinned}\n`)
  await turns(`${pinned}?format=raw`, 410)
  await change('  enabled: false\n')
  await turns('bafkqaaa?format=raw', 404)

  await change('')
  await turns('bafkqaaa?format=raw', 401)
  await writeFile(deny, '')
  const set = async (level: string) =>
    await server.cli('accounts', 'set', account, '--provide', level)
  const { keys } = (await server.cli('keys', 'list')) as unknown as {
    keys: readonly { id: string; accountName: string }[]
  }
  const account = keys[0]?.accountName ?? ''
  const excluded = await add(server, [['c', Buffer.from('excluded')]], 'provide=false')
  await set('roots')
  await turns(`${pinned}?format=raw`, 200)
  assert.equal(await status(`${loose}?format=raw`), 401)
  assert.equal(await status(`${excluded}?format=raw`), 401)
  // Pinned again without the option, it remains excluded.
  await pinAgain(excluded, '')
  assert.equal(await status(`${excluded}?format=raw`), 401)
  await pinAgain(excluded, '&provide=true')
  assert.equal(await status(`${excluded}?format=raw`), 200)
  await server.cli('keys', 'set', keys[0]?.id ?? '', '--provide', 'none')
  await turnsPrivate(server)
  assert.equal(await status(`${pinned}?format=raw`), 200)
  await set('none')
  assert.equal(await status(`${pinned}?format=raw`), 401)
})

test('a Cairn fetches blocks from another Cairn and verifies them', async (t) => {
  const there = await startCairn({ env: { CAIRN_GATEWAY_REQUESTS_PER_SECOND_MAX: '0' } })
  t.after(() => there.stop())
  const cid = await add(there, [['large', large]])
  const folder = await temporaryFolder()
  const config = join(folder, 'cairn.yaml')
  await writeFile(
    config,
    `files:\n  sources:\n    - url: ${there.url}\n      headers: {authorization: "${basicOf(there)}"}\n`,
  )
  const here = await startCairn({ args: ['--config', config] })
  t.after(async () => {
    await here.stop()
    await rm(folder, { recursive: true })
  })
  const ask = (headers: Record<string, string>) =>
    fetch(`${here.url}/ipfs/${cid}?format=car`, {
      headers: { authorization: basicOf(here), ...headers },
    })
  assert.equal((await ask({ 'cache-control': 'only-if-cached' })).status, 412)
  assert.ok(fileOf(CID.parse(cid), await blocksOf(await ask({}))).equals(large))
})
