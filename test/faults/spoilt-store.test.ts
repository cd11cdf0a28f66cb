// Bit flips and truncated files in a stopped store: the server never sends a wrong byte, other content is unaffected, `cairn store
// verify` lists each bad copy, and a source repairs all of them. The seed is printed; set CAIRN_SEED to repeat a run.
// Tests guarantee 4 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import {
  closeSync,
  cpSync,
  openSync,
  readSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { carLimits, openCar } from '../../src/codec/ipld/car-reader.ts'
import { verifyDagBlock } from '../../src/codec/ipld/verify-dag-block.ts'
import { runProgram } from '../../src/cli/program.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { bytesOf, cidIn, type Content, requestOf } from '../crash/content.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { seeded } from '../fakes/seeded.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
const random = seeded(seed)
// The gateway serves files, not only blocks.
const env = { CAIRN_GATEWAY_DESERIALIZED: 'true' }

type Row = {
  readonly hash: string
  readonly file: number
  readonly at: number
  readonly bytes: number
}
type Entry = {
  readonly cid: string
  readonly path: string
  readonly bytes: Buffer
  /** Hashes of all blocks below it. */
  readonly hashes: ReadonlySet<string>
}
type Key = { readonly apiKey: string; readonly apiKeySecret: string }

let good: string
let key: Key
let rows: readonly Row[]
const entries: Entry[] = []

before(async () => {
  good = await temporaryFolder()
  const server = await startCairn({ dataDir: good })
  key = { apiKey: server.apiKey, apiKeySecret: server.apiKeySecret }
  for (let n = 0; n < 24; n += 1) entries.push(...(await addOne(server, n)))
  assert.equal(await server.stop(), 0)
  rows = rowsOf(good)
})
after(() => rm(good, { recursive: true, force: true }))

async function addOne(server: Started, n: number): Promise<readonly Entry[]> {
  const { post } = filesClient(server)
  const kind = (['file', 'file', 'folder', 'car', 'block'] as const)[n % 5] ?? 'file'
  const sizes = n % 5 === 1 ? [200_000 + random(3_000_000)] : [100 + random(40_000)]
  const pieces = sizes.map((bytes) => ({ seed: `${seed} ${n}`, bytes }))
  const content: Content = { kind, options: '', files: [{ name: 'f', pieces }] }
  const { command, body } = await requestOf(content, true)
  const cid = cidIn(content, await (await post(command, body)).text())
  const { hashes } = await readCar(await post(`dag/export?arg=${cid}`))
  const path = kind === 'folder' ? `${cid}/f` : cid
  return content.files.map((file) => ({ cid, path, bytes: bytesOf(file), hashes }))
}

for (const [harm, spoil] of [
  ['flipped bits in blocks and between blocks', flipBits],
  ['torn tails', tearTails],
] as const) {
  test(`${harm}: no wrong byte, other content unaffected, each bad copy found, all repaired (seed ${seed})`, async () => {
    const dataDir = await temporaryFolder()
    let source: Started | null = null
    let server: Started | null = null
    try {
      cpSync(good, dataDir, { recursive: true })
      const bad = spoil(dataDir)
      const found = await verifyStore(dataDir)
      assert.deepEqual(found, { code: bad.size === 0 ? 0 : 1, bad })

      server = await startCairn({ dataDir, env })
      const harmed = await readAll(server, bad)
      assert.ok(harmed > 0 && harmed < entries.length, `${harmed} of ${entries.length} are harmed`)
      assert.equal(await server.stop(), 0)

      source = await startCairn({ dataDir: good })
      server = await startCairn({ dataDir, env, args: ['--config', sourceOf(dataDir, source)] })
      assert.equal(await readAll(server, new Set()), 0)
      await source.stop()
      assert.equal(await server.stop(), 0)
      assert.deepEqual(await verifyStore(dataDir), { code: 0, bad: new Set() })
      assert.deepEqual(
        rowsOf(dataDir).filter(({ file }) => file === 0),
        [],
      )
    } finally {
      source?.child.kill('SIGKILL')
      server?.child.kill('SIGKILL')
      await rm(dataDir, { recursive: true, force: true })
    }
  })
}

/** The hashes of the bad copies. */
function flipBits(dataDir: string): ReadonlySet<string> {
  const bad = new Set<string>()
  const files = [...new Set(rows.map(({ file }) => file))]
  const spots = [
    ...Array.from({ length: 5 }, () => rows[random(rows.length)]).flatMap((row) =>
      row === undefined ? [] : [{ file: row.file, at: row.at + random(row.bytes) }],
    ),
    // The header of a record is stored directly before it.
    ...Array.from({ length: 20 }, () => rows[random(rows.length)]).flatMap((row) =>
      row === undefined ? [] : [{ file: row.file, at: Math.max(0, row.at - 1 - random(40)) }],
    ),
    { file: files[random(files.length)] ?? 1, at: random(1000) },
  ]
  for (const { file, at } of new Map(
    spots.map((spot) => [`${spot.file} ${spot.at}`, spot]),
  ).values()) {
    const one = Buffer.alloc(1)
    const fd = openSync(pathOf(dataDir, file), 'r+')
    readSync(fd, one, 0, 1, at)
    one[0] = (one[0] ?? 0) ^ (1 << random(8))
    writeSync(fd, one, 0, 1, at)
    closeSync(fd)
    for (const row of rows) {
      if (row.file === file && row.at <= at && at < row.at + row.bytes) bad.add(row.hash)
    }
  }
  return bad
}

function tearTails(dataDir: string): ReadonlySet<string> {
  const bad = new Set<string>()
  for (const file of new Set(rows.map((row) => row.file))) {
    const own = rows.filter((row) => row.file === file)
    const end = Math.max(...own.map(({ at, bytes }) => at + bytes))
    const left = Math.floor(end / 2) + random(Math.floor(end / 2))
    truncateSync(pathOf(dataDir, file), left)
    for (const { hash, at, bytes } of own) if (at + bytes > left) bad.add(hash)
  }
  return bad
}

/** Reads everything in three ways; returns the number of affected reads. */
async function readAll(server: Started, bad: ReadonlySet<string>): Promise<number> {
  const { post, headers } = filesClient({ url: server.url, ...key })
  let harmed = 0
  for (const { cid, path, bytes, hashes } of entries) {
    const isHarmed = [...hashes].some((hash) => bad.has(hash))
    if (isHarmed) harmed += 1
    const ways = [
      async () => await assertStart(await post(`cat?arg=${path}`), bytes),
      async () => await assertStart(await fetch(`${server.url}/ipfs/${path}`, { headers }), bytes),
      async () => (await readCar(await post(`dag/export?arg=${cid}`))).whole,
    ]
    // The first read finds the bad copy, later reads find it missing.
    const first = random(ways.length)
    for (const way of [...ways.slice(first), ...ways.slice(0, first)]) {
      assert.equal(await way(), !isHarmed, `${path} is ${isHarmed ? 'harmed' : 'whole'}`)
    }
  }
  return harmed
}

/** True if it arrived completely; a partial read must be a prefix. */
async function assertStart(response: Response, expected: Buffer): Promise<boolean> {
  const chunks: Uint8Array[] = []
  let isComplete = true
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk)
  } catch {
    isComplete = false
  }
  const came = Buffer.concat(chunks)
  if (response.status !== 200) {
    assert.ok(
      response.status === 500 || response.status === 404,
      `${response.status} ${came.toString()}`,
    )
    return false
  }
  assert.ok(came.equals(expected.subarray(0, came.length)), 'a wrong byte')
  assert.ok(!isComplete || came.length === expected.length, 'a short answer that looks whole')
  return isComplete
}

async function readCar(response: Response): Promise<{ whole: boolean; hashes: Set<string> }> {
  const hashes = new Set<string>()
  if (response.status !== 200 || response.body === null) {
    await response.arrayBuffer()
    return { whole: false, hashes }
  }
  let damage: unknown = null
  try {
    const { blocks } = await openCar(response.body, carLimits)
    for await (const { cid, block } of blocks) {
      try {
        verifyDagBlock(cid.multihash.bytes, block)
      } catch (error) {
        damage = error
      }
      hashes.add(Buffer.from(cid.multihash.bytes).toString('hex'))
    }
  } catch {
    return { whole: false, hashes }
  } finally {
    assert.equal(damage, null, 'a wrong block')
  }
  return { whole: true, hashes }
}

function rowsOf(dataDir: string): readonly Row[] {
  const db = openDatabase(join(dataDir, 'cairn.db'), { readOnly: true })
  try {
    return db
      .all<Row & { hash: unknown }>('SELECT lower(hex(hash)) AS hash, file, at, bytes FROM block')
      .filter(({ bytes }) => bytes > 0)
  } finally {
    db.close()
  }
}

function pathOf(dataDir: string, file: number): string {
  for (const kind of ['ext', 'log']) {
    const path = join(dataDir, 'store', kind, `${file}.${kind}`)
    try {
      closeSync(openSync(path, 'r'))
      return path
    } catch {
      continue
    }
  }
  return assert.fail(`there is no segment ${file}`)
}

function sourceOf(dataDir: string, { url }: Started): string {
  const file = join(dataDir, 'cairn.yaml')
  const place = url.replace('http://', `http://${key.apiKey}:${key.apiKeySecret}@`)
  writeFileSync(file, `files:\n  idleMs: 30000\n  sources: [{url: "${place}"}]\n`)
  return file
}

async function verifyStore(dataDir: string): Promise<{ code: number; bad: ReadonlySet<string> }> {
  let out = ''
  const code = await runProgram(['store', 'verify', '--data-dir', dataDir, '--json'], {
    out: (text) => (out += text),
    err: () => {},
    readInput: async () => '',
    env: {},
  })
  const { named } = JSON.parse(out) as { named: { hash: string }[] }
  return { code, bad: new Set(named.map(({ hash }) => hash.replace(/^0x/, ''))) }
}
