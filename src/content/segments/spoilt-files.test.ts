// Flips any bit of any file, truncates files, changes rows: a read never returns a wrong byte. The seed is printed; set
// CAIRN_SEED to repeat a run.
// Tests guarantee 4 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { createMemoryFileOps } from '../../../test/fakes/files/memory-file-ops.ts'
import { addLeaves, createSegmentFixture } from '../../../test/fakes/files/segment-fixture.ts'
import { item } from '../../../test/suites/block-store.suite.ts'
import { silentLog } from '../../base/log.ts'
import { createHostedHash } from '../../../test/fakes/files/hash-worker-thread.ts'
import { createParallelVerify } from '../../codec/hash/parallel-verify.ts'
import { verifyDagBlock, verifyLeaf } from '../../codec/ipld/verify-dag-block.ts'
import { eachPiece } from '../../../test/suites/block-store.suite.ts'
import { createSequentialRead } from '../sequential-read.ts'
import type { ContentRef, Verify } from '../ref.ts'
import type { FileLeaf } from '../block-store.ts'

const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
const rounds = 300
const signal = new AbortController().signal

test(`${rounds} corrupt segments never return a wrong byte (seed ${seed})`, async (t) => {
  const ops = createMemoryFileOps()
  const { store, db } = createSegmentFixture(t, { ops })
  const content = Buffer.alloc(200_000, 'content')
  for (let at = 0; at + 4 < content.length; at += 512) content.writeUInt32LE(at, at)
  const leaves = await addLeaves(store, content, 16_384)
  const items = Array.from({ length: 20 }, (_, index) => item(`block ${index} `.repeat(200)))
  await store.put(items)
  const refs: ContentRef[] = [...leaves.map(refOf), ...items.map(({ ref }) => ref)]
  const right = [
    ...leaves.map((_, at) => content.subarray(at * 16_384, (at + 1) * 16_384)),
    ...items.map(({ bytes }) => Buffer.from(bytes)),
  ]
  const good = new Map([...ops.files].map(([name, bytes]) => [name, bytes.slice()]))
  const rows = db.all<{ id: number; file: number; at: number; bytes: number; form: number }>(
    'SELECT id, file, at, bytes, form FROM block',
  )
  let random = seed
  const below = (limit: number): number => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((random / 2 ** 32) * limit)
  }
  const verify: Verify = ({ hash }, bytes) => verifyDagBlock(hash, bytes)
  const readRun = createSequentialRead({
    store: { read: store.read },
    verify,
    verifyLeaf,
    verifyInParallel: createParallelVerify(createHostedHash()),
    log: silentLog,
    count: () => {},
  })
  let lost = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, bytes] of good) ops.files.set(name, bytes.slice())
    const [name, bytes] = [...ops.files][below(ops.files.size)] ?? ['', new Uint8Array(0)]
    const kind = below(3)
    const at = below(bytes.length)
    const row = rows[below(rows.length)]
    assert.ok(row)
    if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8))
    else if (kind === 1) ops.files.set(name, bytes.subarray(0, at))
    else {
      const column = ['file', 'at', 'bytes', 'form'][below(4)]
      const value = [1, 2 ** below(40), 2 ** 40, -5, 0, row.bytes - 1][below(6)] ?? 0
      db.run(`UPDATE block SET ${column} = ? WHERE id = ?`, [value, row.id])
    }
    let index = 0
    for await (const piece of eachPiece(readRun(refs, signal))) {
      const [ref, expected] = [refs[index], right[index]]
      assert.ok(ref && expected)
      if (piece === null) lost += 1
      else assert.ok(expected.equals(piece.data))
      index += 1
      // A leaf is returned with its frame.
      assert.ok(foundGood(ref)?.includes(expected.toString('latin1'), 0, 'latin1') ?? true)
    }
    assert.equal(index, refs.length)
    db.run('UPDATE block SET file = ?, at = ?, bytes = ?, form = ? WHERE id = ?', [
      row.file,
      row.at,
      row.bytes,
      row.form,
      row.id,
    ])
  }
  t.diagnostic(`${lost} pieces were reported as corrupt`)
  assert.ok(lost > rounds / 2)

  /** Reads as `obtain` does: null if the bytes fail verification. */
  function foundGood(ref: ContentRef): Buffer | null {
    try {
      const bytes = store.peek(ref)
      if (bytes !== null) verify(ref, bytes)
      return bytes === null ? null : Buffer.from(bytes)
    } catch {
      return null
    }
  }
})

function refOf({ multihash }: FileLeaf): ContentRef {
  return { kind: 'dag-block', hash: multihash }
}
