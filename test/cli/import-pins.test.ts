// `cairn import pins` against a running server: from a Kubo node, from a gateway, and from the sources of the server.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pause } from '../../src/base/clock.ts'
import { toBareHex } from '../../src/base/hex.ts'
import { cidOf, rawCodec } from '../../src/codec/ipld/cid.ts'
import { multihashOf } from '../../src/codec/ipld/multihash.ts'
import { startFakeGateway } from '../fakes/files/file-source.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import {
  atOnce,
  createFilesFixture,
  fileEntry,
  importAll,
  never,
  rootOf,
} from '../fakes/files/files-fixture.ts'
import { bin, startCairn, temporaryFolder } from '../started-server.ts'

type Outcome = {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly found: {
    readonly ok: boolean
    readonly pinned: number
    readonly present: number
    readonly failed: number
    readonly left: number
    readonly ended: string | null
    readonly report: string | null
  }
}

async function start(t: TestContext, settings = '') {
  const dataDir = await temporaryFolder()
  const config = join(dataDir, 'cairn.yaml')
  writeFileSync(config, settings)
  const server = await startCairn({ dataDir, args: ['--config', config] })
  t.after(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const client = filesClient(server)

  /** Runs the command; `during` may abort it. */
  async function run(
    args: readonly string[],
    during: (child: ReturnType<typeof spawn>) => Promise<void> | void = () => {},
  ): Promise<Outcome> {
    const child = spawn(process.execPath, [bin, 'import', 'pins', ...args, '--json'], {
      cwd: dataDir,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        CAIRN_URL: server.url,
        CAIRN_KEY: server.apiKey,
        CAIRN_SECRET: server.apiKeySecret,
      },
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    const ended = once(child, 'close')
    await during(child)
    await ended
    const found = out === '' ? ({} as Outcome['found']) : (JSON.parse(out) as Outcome['found'])
    return { code: child.exitCode, out, err, found }
  }

  /** Names of all pins by CID. */
  async function pins(type = 'recursive'): Promise<Map<string, string>> {
    const response = await client.post(`pin/ls?type=${type}&names=true`)
    const { Keys: keys = {} } = (await response.json()) as {
      readonly Keys?: Record<string, { readonly Name?: string }>
    }
    return new Map(Object.entries(keys).map(([cid, { Name: name = '' }]) => [cid, name]))
  }

  const list = (name: string, text: string): string => {
    writeFileSync(join(dataDir, name), text)
    return name
  }
  return { ...client, server, dataDir, run, pins, list }
}

/** Single blocks that are roots. */
function smallRoots(count: number) {
  const blocks = new Map<string, Uint8Array>()
  const cids = Array.from({ length: count }, (_, index) => {
    const bytes = Buffer.from(`small file ${index}`)
    const hash = multihashOf('sha2-256', bytes)
    blocks.set(toBareHex(hash), bytes)
    return cidOf(1, rawCodec, hash).toString()
  })
  return { blocks, cids }
}

/** A file of three leaves that another server stores. */
async function largeRoot(t: TestContext) {
  const there = createFilesFixture(t)
  const bytes = Buffer.alloc(600_000, 'far away ')
  bytes.writeUInt32BE(7, 300_000)
  const events = await importAll(there.files, [fileEntry('file', bytes)])
  const root = rootOf(events).cid
  const blocks = new Map<string, Uint8Array>()
  for await (const { cid, block } of there.files.blocks(root, atOnce, never)) {
    blocks.set(toBareHex(cid.multihash.bytes), block ?? new Uint8Array())
  }
  return { cid: root.toString(), blocks, bytes }
}

test(
  'an import of the pins of a Kubo node continues after a kill',
  { timeout: 300_000 },
  async (t) => {
    const { blocks, cids } = smallRoots(800)
    const kubo = await startFakeGateway(t, blocks, { rpc: true })
    const { run, pins, list } = await start(t)
    const lines = cids.map((cid, at) =>
      JSON.stringify({ Cid: cid, Type: 'recursive', Name: `n${at}` }),
    )
    const file = list('pins.ndjson', lines.join('\n'))
    const args = [file, '--from', kubo.url]
    await run(args, async (child) => {
      while (kubo.requests.length < 300) await pause(5)
      child.kill('SIGKILL')
    })
    const half = (await pins()).size
    assert.ok(half > 100 && half < 800, `${half} pins`)
    const { code, found, err } = await run(args)
    assert.equal(code, 0, err)
    assert.ok(found.present >= half)
    assert.equal(found.present + found.pinned, 800)
    const now = await pins()
    assert.equal(now.size, 800)
    assert.equal(now.get(cids[567] ?? ''), 'n567')
    const again = await run(args)
    assert.equal(again.found.present, 800)
    assert.equal(again.found.pinned, 0)
  },
)

test('all pins of a Kubo node are imported, including direct pins and a file of many blocks', async (t) => {
  const { cid, blocks, bytes } = await largeRoot(t)
  const small = smallRoots(2)
  const [one = '', two = ''] = small.cids
  const all = new Map([...blocks, ...small.blocks])
  const kubo = await startFakeGateway(t, all, {
    rpc: true,
    pins: [
      { Cid: cid, Type: 'recursive', Name: 'large' },
      { Cid: one, Type: 'recursive' },
      { Cid: two, Type: 'direct', Name: 'alone' },
      { Cid: two, Type: 'indirect' },
    ],
  })
  const { run, pins, post } = await start(t)
  const { code, found, err } = await run(['--from', `${kubo.url}/api/v0`])
  assert.equal(code, 0, err)
  assert.equal(found.pinned, 3)
  assert.deepEqual(Object.fromEntries(await pins()), { [cid]: 'large', [one]: '' })
  assert.deepEqual(Object.fromEntries(await pins('direct')), { [two]: 'alone' })
  const cat = await post(`cat?arg=${cid}&offline=true`)
  assert.ok(Buffer.from(await cat.arrayBuffer()).equals(bytes))
})

test('content that a gateway lacks is reported, and the report is valid input for the next run', async (t) => {
  const { blocks, cids } = smallRoots(20)
  const gateway = await startFakeGateway(t, new Map([...blocks].slice(0, 15)))
  const { run, pins, list, dataDir } = await start(t)
  const file = list('cids.txt', `${cids.join('\n')}\nno cid at all\n`)
  const first = await run([file, '--from', gateway.url])
  assert.equal(first.code, 1)
  assert.deepEqual([first.found.pinned, first.found.failed], [15, 5])
  assert.equal(first.found.report, 'cids.txt.failed')
  const report = join(dataDir, 'cids.txt.failed')
  const text = readFileSync(report, 'utf8')
  assert.match(text, /"Error":"status 404"/)
  assert.match(text, /# line 21 is not a CID: no cid at all/)
  assert.equal((await pins()).size, 15)

  for (const [key, block] of blocks) gateway.blocks.set(key, block)
  const second = await run(['cids.txt.failed', '--from', gateway.url, '--report', 'again.failed'])
  assert.equal(second.code, 0)
  assert.equal(second.found.pinned, 5)
  assert.ok(!existsSync(join(dataDir, 'again.failed')))
  assert.equal((await pins()).size, 20)
})

test('nothing is pinned from a source with invalid, incomplete or failing replies', async (t) => {
  const { cid, blocks } = await largeRoot(t)
  const { run, pins, list } = await start(t)
  const file = list('cids.txt', cid)
  const manners = ['wrong', 'short', 'cut', 'failing'] as const
  const outcomes = await Promise.all(
    manners.map(async (manner) => {
      const gateway = await startFakeGateway(t, blocks, { manner })
      return await run([file, '--from', gateway.url, '--report', `${manner}.failed`])
    }),
  )
  for (const [index, { code, found }] of outcomes.entries()) {
    assert.deepEqual([code, found.failed], [1, 1], manners[index])
  }
  assert.equal((await pins()).size, 0)
})

test('without --from the server uses its own sources', async (t) => {
  const { cid, blocks } = await largeRoot(t)
  const gateway = await startFakeGateway(t, blocks)
  const { run, pins, list } = await start(t, `files: {sources: [{url: "${gateway.url}"}]}\n`)
  const { code, err } = await run([list('cids.txt', `${cid} recursive my file\n`)])
  assert.equal(code, 0, err)
  assert.equal((await pins()).get(cid), 'my file')
})

test('Ctrl-C ends the import cleanly and reports the remaining pins', async (t) => {
  const { blocks, cids } = smallRoots(300)
  const kubo = await startFakeGateway(t, blocks, { rpc: true })
  kubo.delayMs = 20
  const { run, pins, list } = await start(t)
  const file = list('cids.txt', cids.join('\n'))
  const { code, found } = await run([file, '--from', kubo.url, '--at-once', '4'], async (child) => {
    while (kubo.requests.length < 40) await pause(5)
    child.kill('SIGINT')
  })
  assert.equal(code, 1)
  assert.equal(found.failed, 0)
  assert.ok(found.left > 100)
  // A pin in progress may have reached the server, and still counts as remaining.
  const { size } = await pins()
  assert.ok(size >= found.pinned && size <= found.pinned + 4, `${size}, err ${found.pinned}`)
})

test('an unreachable server ends the import, and completed pins exist after its restart', async (t) => {
  const { blocks, cids } = smallRoots(300)
  const kubo = await startFakeGateway(t, blocks, { rpc: true })
  kubo.delayMs = 10
  const { run, list, server, dataDir } = await start(t)
  const file = list('cids.txt', cids.join('\n'))
  const args = [file, '--from', kubo.url, '--at-once', '4']
  const { code, found } = await run(args, async () => {
    while (kubo.requests.length < 60) await pause(5)
    await server.kill()
  })
  assert.equal(code, 1)
  assert.equal(found.failed, 0)
  assert.match(found.ended ?? '', /^no reply from the server: /)
  assert.equal(found.pinned + found.left, 300)

  const back = await startCairn({ dataDir })
  t.after(() => back.stop())
  const client = filesClient({ ...server, url: back.url })
  const response = await client.post('pin/ls?type=recursive')
  const { Keys: keys = {} } = (await response.json()) as { readonly Keys?: object }
  assert.ok(Object.keys(keys).length >= found.pinned)
  const { found: rest } = await run([...args, '--url', back.url])
  assert.equal(rest.present + rest.pinned, 300)
})

test('wrong usage and a refusal by the server are reported in one sentence', async (t) => {
  const { run, list } = await start(t)
  const file = list('cids.txt', 'Qm')
  const none = await run([])
  assert.equal(none.code, 2)
  assert.match(none.err, /no pins: add a list/)
  const elsewhere = await run([file, '--url', 'http://127.0.0.1:1'])
  assert.equal(elsewhere.code, 1)
  assert.match(elsewhere.err, /ECONNREFUSED/)
  const stranger = await run([file, '--key', 'unknown'])
  assert.match(stranger.err, /invalid project id or project secret/)
  const nothing = await run([file, '--from', 'http://127.0.0.1:1'])
  assert.match(nothing.err, / no reply: ECONNREFUSED/)
})
