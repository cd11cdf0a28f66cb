// Endless DAGs, stored block by block and read with every command of a started server: each costs bounded processor time and
// memory, no wrong content looks complete, and other requests are served in the meantime.
import assert from 'node:assert/strict'
import { platform } from 'node:process'
import { after, before, suite, test } from 'node:test'
import { dagCborCodec, rawCodec } from '../../src/codec/ipld/cid.ts'
import { pause } from '../../src/base/clock.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { type Started, startCairn } from '../started-server.ts'
import { type Block, type EndlessDag, endlessDags } from './endless-dags.ts'
import { bombLimits } from './files-bombs.ts'
import { type Figures, readFigures } from './process-figures.ts'

/** Time limits: until the first bytes, until another client's reply, and after a client disconnected. */
const silentCpuMsMax = 5_000
const waitCpuMsMax = 1_500
/** V8 compiles and collects on its own threads for hundreds of milliseconds after a large traversal. */
const afterCpuMsMax = 1_500
/** On a busy machine V8 collects late. */
const grownMiBMax = 400
/** A client that has received this much, or caused this cost, disconnects. */
const enoughBytes = 4 * 1024 * 1024
const enoughCpuMs = 1_500

const ways: readonly ((root: string, path: string) => string)[] = [
  (root, path) => `cat?arg=${root}${path}`,
  (root) => `cat?arg=${root}&offset=123456789&length=10`,
  (root) => `get?arg=${root}`,
  (root) => `get?arg=${root}&compress=true`,
  (root) => `ls?arg=${root}`,
  (root) => `ls?arg=${root}&stream=true`,
  (root, path) => `ls?arg=${root}${path}`,
  (root) => `files/stat?arg=/ipfs/${root}`,
  (root) => `refs?arg=${root}&recursive=true`,
  (root) => `refs?arg=${root}&recursive=true&unique=true`,
  (root) => `refs?arg=${root}&recursive=true&max-depth=3`,
  (root) => `dag/export?arg=${root}`,
  (root) => `dag/get?arg=${root}`,
  (root, path) => `dag/resolve?arg=${root}${path}`,
  (root) => `dag/stat?arg=${root}`,
  (root) => `pin/add?arg=${root}`,
  (root) => `pin/ls?arg=${root}`,
  () => 'pin/verify',
  (root) => `pin/rm?arg=${root}`,
]
const paths: readonly ((root: string, path: string) => string)[] = [
  (root, path) => `${root}${path}`,
  (root) => `${root}/`,
  (root) => `${root}?format=car`,
  (root) => `${root}?format=car&car-order=dfs&car-dups=y`,
  (root) => `${root}?format=car&dag-scope=entity`,
  (root) => `${root}?format=tar`,
  (root) => `${root}?format=dag-json`,
]

suite('DAGs without an end', { skip: platform !== 'linux' && 'reads /proc' }, () => {
  let cairn: Started
  before(async () => {
    cairn = await startCairn({ env: { ...bombLimits, CAIRN_GATEWAY_DESERIALIZED: 'true' } })
    for (let n = 0; n < 20; n += 1) await (await filesClient(cairn).post('version')).arrayBuffer()
  })
  after(() => cairn.stop())

  for (const dag of endlessDags) {
    test(`${dag.name}: every way to read it has a bounded cost, and other requests are answered`, async (t) => {
      const { post, headers } = filesClient(cairn)
      await put(dag)
      const root = dag.blocks.at(-1)?.cid ?? ''
      const path = dag.path.replaceAll(' ', '%20')
      let most = { way: '', cpuMs: 0 }
      const all = [
        ...ways
          .map((way) => way(root, path))
          .map((target) => ({
            target,
            open: (signal: AbortSignal) => post(target, undefined, signal),
          })),
        ...paths
          .map((way) => way(root, path))
          .map((target) => ({
            target,
            open: (signal: AbortSignal) =>
              fetch(`${cairn.url}/ipfs/${target}`, { headers, signal }),
          })),
      ]
      for (const { target, open } of all) {
        const idle = await readFigures(cairn.child.pid)
        const reading = readEnough(open, cairn.child.pid)
        const waited = await waitedMeanwhile(reading)
        const { outcome, silentCpuMs } = await reading
        const left = await readFigures(cairn.child.pid)
        const quiet = await untilQuiet()
        const cpuMs = quiet.cpuMs - idle.cpuMs
        if (cpuMs > most.cpuMs) most = { way: target.replace(root, dag.name), cpuMs }
        const how = `${target}: ${outcome}`
        if (dag.hasLies && /^(get|cat\?arg=[^&]*\/)/.test(target))
          assert.doesNotMatch(outcome, /^200/)
        assert.ok(silentCpuMs < silentCpuMsMax, `${how}, silent for ${silentCpuMs} ms of processor`)
        assert.ok(waited < waitCpuMsMax, `${how}, others waited for ${waited} ms of processor`)
        const after = quiet.cpuMs - left.cpuMs
        assert.ok(after < afterCpuMsMax, `${how}, and then ${after} ms of processor`)
        const grown = quiet.residentMiB - idle.residentMiB
        assert.ok(grown < grownMiBMax, `${how}, grew by ${grown} MiB`)
      }
      t.diagnostic(`dearest: ${most.way}, ${most.cpuMs} ms`)
    })
  }

  test('the same process serves requests after all attacks', async () => {
    assert.equal(cairn.child.exitCode, null)
    assert.equal((await filesClient(cairn).post('version')).status, 200)
  })

  async function put({ blocks }: EndlessDag): Promise<void> {
    for (const codec of new Set(blocks.map((block) => block.codec))) {
      const form = new FormData()
      const own = blocks.filter((block) => block.codec === codec)
      for (const { bytes } of own) form.append('data', new Blob([new Uint8Array(bytes)]))
      const answer = await filesClient(cairn).post(`block/put?cid-codec=${nameOf(codec)}`, form)
      const lines = (await answer.text()).trim().split('\n')
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as { Key: string }).Key),
        own.map(({ cid }: Block) => cid),
      )
    }
  }

  /** Ends when the server is nearly idle, or when the work clearly does not end. */
  async function untilQuiet(): Promise<Figures> {
    let before = await readFigures(cairn.child.pid)
    const until = before.cpuMs + afterCpuMsMax
    for (;;) {
      await pause(20)
      const now = await readFigures(cairn.child.pid)
      if (now.cpuMs === before.cpuMs || now.cpuMs >= until) return now
      before = now
    }
  }

  /** The maximum processor time of the server between another client's request and its reply. */
  async function waitedMeanwhile(reading: Promise<unknown>): Promise<number> {
    const state = { isOver: false }
    void reading.finally(() => (state.isOver = true))
    let most = 0
    while (!state.isOver) {
      const asked = await readFigures(cairn.child.pid)
      assert.equal((await filesClient(cairn).post('version')).status, 200)
      most = Math.max(most, (await readFigures(cairn.child.pid)).cpuMs - asked.cpuMs)
    }
    return most
  }
})

type Reading = { readonly outcome: string; readonly silentCpuMs: number }

/** Returns the result; the client disconnects when it has received enough. */
async function readEnough(
  open: (signal: AbortSignal) => Promise<Response>,
  pid: number | undefined,
): Promise<Reading> {
  const leaving = new AbortController()
  const { cpuMs: before } = await readFigures(pid)
  const spent = async () => (await readFigures(pid)).cpuMs - before
  let bytes = 0
  let silentCpuMs: number | null = null
  const state = { isOver: false }
  const watching = (async () => {
    while (!state.isOver) {
      await pause(20)
      const cpuMs = await spent()
      if (cpuMs > (bytes === 0 ? silentCpuMsMax : enoughCpuMs)) leaving.abort()
    }
  })()
  let outcome: string
  try {
    const response = await open(leaving.signal)
    outcome = `${response.status}`
    for await (const chunk of response.body ?? []) {
      silentCpuMs ??= await spent()
      bytes += (chunk as Uint8Array).length
      if (bytes >= enoughBytes) leaving.abort()
    }
  } catch (error) {
    outcome = leaving.signal.aborted ? 'left' : `cut off: ${String(error)}`
  }
  state.isOver = true
  await watching
  silentCpuMs ??= await spent()
  return { outcome: `${outcome} after ${bytes} bytes`, silentCpuMs }
}

function nameOf(codec: number): string {
  return codec === rawCodec ? 'raw' : codec === dagCborCodec ? 'dag-cbor' : 'dag-pb'
}
