// Process with a store opened as in the server, without HTTP. It runs orders one after the other over IPC and returns the
// measurements of each.
import { hash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createHashWorker } from '../../src/codec/hash/hash-worker.ts'
import { createParallelVerify } from '../../src/codec/hash/parallel-verify.ts'
import { sha256Name, sha256NameBytes as nameBytes } from '../../src/codec/ipld/multihash.ts'
import { verifyDagBlock, verifyLeaf } from '../../src/codec/ipld/verify-dag-block.ts'
import { createSequentialRead } from '../../src/content/sequential-read.ts'
import { createObtain } from '../../src/content/obtain.ts'
import type { ContentRef, UnverifiedItem, Verify } from '../../src/content/ref.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { startThreadWriter } from '../../src/db/thread-writer.ts'
import { createFiles, defaultFilesLimits } from '../../src/ipfs/create-files.ts'
import type { FileContent } from '../../src/ipfs/import/upload-entry.ts'
import { openStore } from '../../src/server/open-content.ts'
import { createFileRing, type FileBytes } from '../data/file-bytes.ts'
import { measureSha } from '../floors.ts'
import { importDefaults } from '../../test/fakes/files/files-fixture.ts'
import type { StoreOrder, StoreResult } from './store.ts'

const pieceBytes = 64 * 1024
const accountId = 'bench'

const begun = performance.now()
const dataDir = process.argv[2] ?? ''
mkdirSync(dataDir, { recursive: true })
const path = join(dataDir, 'cairn.db')
const clock = systemClock
const log = silentLog
const writer = await startThreadWriter({ path })
const database = openDatabase(path, { readOnly: true })
const bytesDb = openDatabase(path, { readOnly: true })
/** As a server does on more than one processor. */
const hashWorker = createHashWorker((module) => writer.attach(module))
const store = await openStore({
  dataDir,
  database,
  bytesDb,
  writer,
  bytesMax: null,
  hashWorker,
  clock,
  log,
})
const verify: Verify = (ref, bytes) => verifyDagBlock(ref.hash, bytes)
await writer.write([
  {
    sql: `INSERT OR IGNORE INTO account (id, name, created, card) VALUES (?, ?, 0, 1)`,
    parameters: [accountId, accountId],
  },
])
await store.has(blockAt(0).ref)
const openMs = performance.now() - begun

const { obtain } = createObtain({
  store,
  sourcesFor: () => [],
  verify,
  clock,
  log,
  count: () => {},
})
const files = createFiles({
  store,
  deleteBlocks: store.delete,
  obtain,
  readRun: createSequentialRead({
    store,
    verify,
    verifyLeaf,
    verifyInParallel: createParallelVerify(hashWorker),
    log,
    count: () => {},
  }),
  rows: createSqliteRows(database, writer),
  clock,
  hasSources: () => false,
  limits: { ...defaultFilesLimits, importBlocksMax: 4_000_000 },
})

process.on('message', (order: StoreOrder) => {
  void run(order).then((result) => process.send?.(result))
})
process.send?.({ ms: openMs, base: 0 } satisfies StoreResult)

async function run(order: StoreOrder): Promise<StoreResult> {
  switch (order.kind) {
    case 'import':
      return await importFile(createFileRing().open(order.number, order.bytes))
    case 'read':
      return readRandom(order.count)
    case 'put':
      return await putSmall(order.count, order.inFlight)
    case 'fill':
      return await fill(order.count)
  }
}

/** As `add`, from chunks as a socket delivers them. `base`: time of hashing alone. */
async function importFile(file: FileBytes): Promise<StoreResult> {
  const base = (file.bytes / measureSha(file).rate) * 1000
  const content: FileContent = {
    async drain(consume) {
      for (let at = 0; at < file.bytes; at += pieceBytes) {
        const waiting = consume(file.slice(at, pieceBytes))
        if (waiting !== null) await waiting
      }
    },
    [Symbol.asyncIterator]: () => {
      throw new Error('pushed')
    },
  }
  const context = { accountId, proceed: () => true, signal: new AbortController().signal }
  const started = performance.now()
  const entries = (async function* () {
    yield { kind: 'file' as const, path: 'f', content }
  })()
  for await (const event of files.import(entries, importDefaults, context)) void event
  return { ms: performance.now() - started, base }
}

/** Returns 4 KiB that are unique for the number. */
function blockAt(number: number): UnverifiedItem {
  const bytes = Buffer.alloc(4096, 7)
  bytes.writeUInt32LE(number)
  return { ref: refOf(bytes), bytes }
}

/** The reference that the server would give these bytes. */
function refOf(bytes: Uint8Array): ContentRef {
  return { kind: 'dag-block', hash: sha256Name(bytes) }
}

/** Time of only hashing `count` blocks: to bytes, and to text of one character per byte. */
function hashOnly(count: number): { readonly base: number; readonly textBase: number } {
  const { bytes } = blockAt(0)
  const timed = (encoding: 'buffer' | 'binary'): number => {
    const started = performance.now()
    for (let number = 0; number < count; number++) {
      bytes[number % 4096] = number
      hash('sha256', bytes, encoding)
    }
    return performance.now() - started
  }
  return { base: timed('buffer'), textBase: timed('binary') }
}

/** Warm-up operations before the measured ones. */
const warmUp = (count: number): number => Math.ceil(count / 5)
/** Warm-up: V8 optimizes the code for about 100,000 reads. */
const readRounds = 10

async function putSmall(count: number, inFlight: number): Promise<StoreResult> {
  await putBlocks(count, count + warmUp(count), inFlight)
  const bases = hashOnly(count)
  const started = performance.now()
  await putBlocks(0, count, inFlight)
  return { ms: performance.now() - started, ...bases }
}

async function putBlocks(from: number, to: number, inFlight: number): Promise<void> {
  let next = from
  const lane = async (): Promise<void> => {
    // One buffer, as a caller that reuses it after each call; allocating one per call is not the store's work.
    const bytes = Buffer.alloc(4096, 7)
    while (next < to) {
      bytes.writeUInt32LE(next)
      next += 1
      await store.put([{ ref: refOf(bytes), bytes }])
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
}

/** Reads the blocks that `put` stored, in random order. */
function readRandom(count: number): StoreResult {
  const all = count + warmUp(count)
  const names = namesOf(all)
  for (let round = 0; round < readRounds; round++) readBlocks(names, count, all)
  shuffle(names.subarray(0, count * nameBytes))
  const bases = hashOnly(count)
  const started = performance.now()
  readBlocks(names, 0, count)
  return { ms: performance.now() - started, ...bases }
}

/** All names in one buffer: V8 would traverse a list of them at each garbage collection. */
function namesOf(count: number): Uint8Array {
  const names = new Uint8Array(count * nameBytes)
  const bytes = Buffer.alloc(4096, 7)
  for (let number = 0; number < count; number++) {
    bytes.writeUInt32LE(number)
    names.set(refOf(bytes).hash, number * nameBytes)
  }
  return names
}

function shuffle(names: Uint8Array): void {
  const swapped = new Uint8Array(nameBytes)
  for (let left = names.length / nameBytes; left > 1; left--) {
    const last = (left - 1) * nameBytes
    const other = Math.floor(Math.random() * left) * nameBytes
    swapped.set(names.subarray(last, last + nameBytes))
    names.copyWithin(last, other, other + nameBytes)
    names.set(swapped, other)
  }
}

function readBlocks(names: Uint8Array, from: number, to: number): void {
  for (let number = from; number < to; number++) {
    // A copy of the name, as a caller has it after parsing a request.
    const hash = names.slice(number * nameBytes, (number + 1) * nameBytes)
    const ref: ContentRef = { kind: 'dag-block', hash }
    const bytes = store.peek(ref)
    if (bytes === null) throw new Error('a block is gone')
    verify(ref, bytes)
  }
}

/** Writes blocks of 64 bytes, many per commit. */
async function fill(count: number): Promise<StoreResult> {
  const started = performance.now()
  for (let at = 0; at < count; at += 8192) {
    const items = Array.from({ length: Math.min(8192, count - at) }, (_, index) => {
      const bytes = Buffer.alloc(64, 9)
      bytes.writeUInt32LE(at + index)
      return { ref: refOf(bytes), bytes }
    })
    await store.put(items)
  }
  return { ms: performance.now() - started, base: 0 }
}
