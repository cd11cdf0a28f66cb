// Adds, pins, unpins, collections and restarts of two accounts over the same few contents, concurrently and in random
// order: pinned content is readable, and storage totals equal a full recount. The seed is printed; set CAIRN_SEED to
// repeat a run.
// Tests guarantee 3 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CID } from 'multiformats/cid'
import { Fault } from '../../src/base/fault.ts'
import { silentLog } from '../../src/base/log.ts'
import { toBareHex } from '../../src/base/hex.ts'
import { createHostedHash } from '../fakes/files/hash-worker-thread.ts'
import { createParallelVerify } from '../../src/codec/hash/parallel-verify.ts'
import { verifyDagBlock, verifyLeaf } from '../../src/codec/ipld/verify-dag-block.ts'
import { createSequentialRead } from '../../src/content/sequential-read.ts'
import { createObtain } from '../../src/content/obtain.ts'
import { defaultSegmentLimits } from '../../src/content/segments/segment-limits.ts'
import type { Verify } from '../../src/content/ref.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { startThreadWriter } from '../../src/db/thread-writer.ts'
import { createFiles, defaultFilesLimits } from '../../src/ipfs/create-files.ts'
import { openStore } from '../../src/server/open-content.ts'
import { openCollector } from '../../src/server/start-collecting.ts'
import { seeded } from '../fakes/seeded.ts'
import {
  atOnce,
  bytesOf,
  fileEntry,
  importDefaults,
  never,
  rootOf,
  streamOf,
} from '../fakes/files/files-fixture.ts'
import { createManualClock, type ManualClock } from '../fakes/manual-clock.ts'

const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
const rounds = 40
const atATime = 6
const accounts = ['alice', 'bob'] as const
const quiet = () => {}

/** Leaves of 64 KiB, so that contents share some of them; the large ones are stored in extents. */
const leafBytes = 65536
/** Smaller than a slot, larger than any of the contents, so that segments constantly fill, become garbage and are removed. */
const sealBytes = 16 * leafBytes
const contents = [1, 2, 3, 300, leafBytes, 3 * leafBytes + 5, 4 * leafBytes + 5].map((bytes, at) =>
  Buffer.alloc(bytes, at < 5 ? at : 7),
)

const steadyBytes = Buffer.concat(contents)

async function addSteady({ files }: Side): Promise<CID> {
  const options = { ...importDefaults, chunker: { kind: 'size', bytes: 4096 } as const }
  const context = { accountId: 'carol', proceed: () => true, signal: never }
  const entries = streamOf([fileEntry('steady', steadyBytes)])
  return rootOf(await Array.fromAsync(files.import(entries, options, context))).cid
}

async function openSide(dataDir: string, clock: ManualClock) {
  const path = join(dataDir, 'cairn.db')
  const writer = await startThreadWriter({ path, onDeath: quiet })
  const database = openDatabase(path, { readOnly: true })
  const store = await openStore({
    dataDir,
    database,
    writer,
    bytesMax: null,

    limits: { ...defaultSegmentLimits, sealBytes },
    clock,
    log: silentLog,
  })
  const verify: Verify = (ref, bytes) => verifyDagBlock(ref.hash, bytes)
  const { obtain, idle } = createObtain({
    store,
    sourcesFor: () => [],
    verify,
    clock,
    log: silentLog,
    count: quiet,
  })
  const rows = createSqliteRows(database, writer)
  const files = createFiles({
    store,
    deleteBlocks: store.delete,
    obtain,
    readRun: createSequentialRead({
      store,
      verify,
      verifyLeaf,
      verifyInParallel: createParallelVerify(createHostedHash()),
      log: silentLog,
      count: quiet,
    }),
    rows,
    clock,
    hasSources: () => false,
    limits: defaultFilesLimits,
  })
  const config = { files: { blocksMax: 1000 } } as Parameters<typeof openCollector>[0]['config']
  const parts = { config, rows, writer, store, obtain, clock, log: silentLog }
  const collector = openCollector(parts, null)
  return {
    files,
    database,
    store,
    collector,
    async close() {
      await collector.stop()
      await idle()
      await store.close()
      await writer.close()
      database.close()
    },
  }
}
type Side = Awaited<ReturnType<typeof openSide>>

test(`pinned content is readable after ${rounds} rounds (seed ${seed})`, async (t) => {
  const random = seeded(seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-kept-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const clock = createManualClock()
  let side = await openSide(dataDir, clock)
  await makeAccounts(dataDir)
  /** Blocks of each root, in the order of its entries, as recorded when it was first added. */
  const known = new Map<string, { readonly cid: CID; readonly parts: readonly number[] }>()
  const counts = { done: 0, refused: 0, forgotten: 0 }
  const steady = await addSteady(side)

  /** Content pinned by a third account is read while other work moves its blocks. */
  async function readSteady({ files }: Side): Promise<void> {
    const { chunks } = await files.open(steady, { offset: 0n, length: null }, atOnce, never)
    assert.ok((await bytesOf(chunks)).equals(steadyBytes))
  }

  async function one(): Promise<void> {
    const { files, collector } = side
    const account = accounts[random(2)] ?? 'alice'
    const roots = [...known.values()]
    const root = roots[random(roots.length)]
    const kind = random(14)
    if (kind < 4 || root === undefined) {
      const parts = Array.from({ length: 1 + random(3) }, () => random(contents.length))
      const entries = parts.map((part, at) => fileEntry(`d/${at}`, contents[part] ?? ''))
      const options = {
        ...importDefaults,
        chunker: { kind: 'size', bytes: leafBytes } as const,
        pin: random(3) > 0,
        cidVersion: random(2) as 0 | 1,
      }
      const context = { accountId: account, proceed: () => true, signal: never }
      const events = await Array.fromAsync(files.import(streamOf(entries), options, context))
      const { cid } = rootOf(events)
      known.set(cid.toString(), { cid, parts })
    } else if (kind < 6) {
      const mode = random(4) === 0 ? 'direct' : 'recursive'
      await files.pin(account, { cid: root.cid, mode, name: '' }, atOnce, quiet, never)
    } else if (kind < 10) await files.unpin(account, root.cid, true)
    else if (kind === 10) {
      if (random(2) === 0) await Array.fromAsync(files.releaseUnpinned(account, never))
      else await files.removeBlock(account, root.cid, true, never)
    } else if (kind === 11) {
      const to = roots[random(roots.length)] ?? root
      await files.movePin(
        account,
        { from: root.cid, to: to.cid, unpin: random(2) === 0 },
        atOnce,
        never,
      )
    } else counts.forgotten += (await collector.collect())?.blocks ?? 0
  }

  for (let round = 0; round < rounds; round += 1) {
    const works = await Promise.allSettled([
      readSteady(side),
      ...Array.from({ length: 1 + random(atATime) }, one),
    ])
    for (const work of works) {
      if (work.status === 'fulfilled') counts.done += 1
      else if (work === works[0]) throw work.reason
      // Not pinned, busy, absent: valid replies of the commands. Any other error is a bug.
      else if (work.reason instanceof Fault && work.reason.code === 'command_failed')
        counts.refused += 1
      else throw work.reason
    }
    await check(side, known)
    if (random(8) === 0) clock.advance(random(2 * 24 * 3_600_000))
    if (random(6) === 0) {
      // An unfinished upload, as a crash leaves it.
      const stopped = side.store.batch()
      await stopped.put([
        {
          ref: { kind: 'dag-block', hash: Uint8Array.of(0, 1, random(256)) },
          bytes: Uint8Array.of(1),
        },
      ])
      await side.close()
      side = await openSide(dataDir, clock)
      await check(side, known)
    }
  }
  for (const account of accounts) {
    for await (const { cid } of side.files.pins(account, never))
      await side.files.unpin(account, cid, true)
    await Array.fromAsync(side.files.releaseUnpinned(account, never))
  }
  await side.files.unpin('carol', steady, true)
  await side.collector.collect()
  assert.equal(side.database.getValue('SELECT count(*) FROM block'), 0)
  // At most the growing segment of each kind.
  assert.ok(side.store.bytes <= 2 * sealBytes + leafBytes)
  for (const account of accounts)
    assert.deepEqual(await side.files.stored(account), { blocks: 0, bytes: 0 })
  await side.close()
  t.diagnostic(JSON.stringify(counts))
  assert.ok(counts.done > rounds / 2 && counts.forgotten > 0)
})

/** Every pin is complete and equals the added bytes; storage totals equal the blocks below pins and leases. */
async function check(
  { files, database }: Side,
  known: ReadonlyMap<string, { readonly parts: readonly number[] }>,
) {
  const offline = { offline: true, timeoutMs: null }
  for (const account of accounts) {
    const sizes = new Map<string, number>()
    for await (const { cid, mode } of files.pins(account, never)) {
      if (mode === 'direct') {
        sizes.set(toBareHex(cid.multihash.bytes), (await files.block(cid, offline, never)).length)
        continue
      }
      for await (const { cid: below, block } of files.blocks(cid, offline, never)) {
        assert.ok(block !== null)
        sizes.set(toBareHex(below.multihash.bytes), block.length)
      }
      const texts: Buffer[] = []
      for await (const entry of files.list(cid, offline, never)) {
        const { chunks } = await files.open(entry.cid, { offset: 0n, length: null }, offline, never)
        texts.push(await bytesOf(chunks))
      }
      const parts = known.get(cid.toString())?.parts ?? []
      assert.ok(
        Buffer.concat(texts).equals(
          Buffer.concat(parts.map((part) => contents[part] ?? Buffer.alloc(0))),
        ),
      )
    }
    const leased = database.all<{ hash: Uint8Array; size: number }>(
      `SELECT block.hash AS hash, block.size AS size FROM lease JOIN closure ON closure.root = lease.root
        JOIN block ON block.id = closure.block WHERE lease.account_id = ?`,
      [account],
    )
    for (const { hash, size } of leased) sizes.set(toBareHex(hash), size)
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    assert.deepEqual({ ...(await files.stored(account)) }, { blocks: sizes.size, bytes })
  }
}

async function makeAccounts(dataDir: string): Promise<void> {
  const database = openDatabase(join(dataDir, 'cairn.db'))
  for (const id of [...accounts, 'carol']) {
    database.run('INSERT INTO account (id, name, created, card) VALUES (?, ?, 0, 1)', [id, id])
  }
  database.close()
}
