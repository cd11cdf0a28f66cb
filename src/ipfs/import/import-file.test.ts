// Tests of the fast path of imports: the same CIDs and blocks as the general path, for all sizes and options and however the bytes
// arrive.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type UnverifiedItem, refKey } from '../../content/ref.ts'
import { createMemoryStore } from '../../content/memory-store.ts'
import { type Keep, createBlockSink } from './block-sink.ts'
import { noMetadata, type Built, type Metadata } from './built.ts'
import type { FileContent } from './upload-entry.ts'
import { importContent, importFile } from './import-file.ts'

const kib = 1024
const sink = { hash: 'sha2-256', inline: false, inlineLimit: 32 } as const
const plain = {
  cidVersion: 0,
  rawLeaves: false,
  chunker: { kind: 'size', bytes: 4 * kib },
  layout: 'balanced',
  maxFileLinks: 3,
  progress: false,
} as const
type Options = Parameters<typeof importContent>[0]['options']

/** Bytes without repetition, so that no two leaves are equal. */
function bytesOf(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(at, at)
  return bytes
}

async function* pieces(bytes: Buffer, step: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
}

function pushed(bytes: Buffer, step: number): FileContent {
  return {
    async drain(take) {
      for await (const piece of pieces(bytes, step)) await take(piece)
    },
    [Symbol.asyncIterator]: () => {
      throw new Error('read in the slow way')
    },
  }
}

async function finish(
  steps: AsyncGenerator<number, Built>,
): Promise<Built & { reportedBytes: number[] }> {
  const reportedBytes: number[] = []
  for (let step = await steps.next(); ; step = await steps.next()) {
    if (step.done === true) return { ...step.value, reportedBytes }
    reportedBytes.push(step.value)
  }
}

/** Imports by the general path and returns all blocks. */
async function general(bytes: Buffer, options: Options, metadata: Metadata) {
  const blocks: UnverifiedItem[] = []
  const keep: Keep = {
    put: (items) => Promise.resolve(void blocks.push(...items)),
    leaves: () => assert.fail('the general way puts blocks'),
  }
  const into = createBlockSink(sink, 1e6, keep)
  const built = await finish(importFile(pieces(bytes, 10_000), options, metadata, into))
  await into.flush()
  return { built, blocks }
}

async function fast(content: FileContent, options: Options, metadata: Metadata) {
  const store = createMemoryStore()
  const batch = store.batch()
  let written = 0
  const keep: Keep = {
    put: (items) => batch.put(items),
    leaves: (cut, onLeaf) => {
      const writer = batch.leaves(cut, onLeaf)
      // Makes the importer wait sometimes, as a disk does.
      return {
        write: (piece) => (written++ % 2 === 0 ? after(writer.write(piece)) : writer.write(piece)),
        end: () => writer.end(),
      }
    },
  }
  const into = createBlockSink(sink, 1e6, keep)
  const built = await finish(importContent({ content, options, metadata }, into))
  await into.flush()
  await batch.commit()
  return { built, store, usedLeaves: written > 0 }
}

async function after(work: Promise<void> | null): Promise<void> {
  await setImmediate()
  await work
}

const large = 128 * kib
const dated: Metadata = { mode: 0o644, mtime: { seconds: 5n, nanos: 0 } }

test('every size gives the same CID, size and blocks as the general way', async () => {
  const sizes = [0, 1, large - 1, large, large + 1, 33 * 4 * kib, 40 * 4 * kib + 1, 700_001]
  for (const size of sizes) {
    const bytes = bytesOf(size)
    const expected = await general(bytes, plain, noMetadata)
    for (const step of [999, 65_536, 1_000_000]) {
      const { built, store, usedLeaves } = await fast(pushed(bytes, step), plain, noMetadata)
      assert.equal(built.cid.toString(), expected.built.cid.toString(), `${size} by ${step}`)
      assert.deepEqual([built.size, built.bytes], [expected.built.size, BigInt(size)])
      for (const { ref, bytes: block } of expected.blocks) {
        assert.ok(
          store.peek(ref)?.every((byte, at) => byte === block[at]),
          refKey(ref),
        )
      }
      assert.equal(usedLeaves, size >= large)
    }
  }
})

test('raw leaves, CIDv1, other leaf sizes and metadata give the same CID as the general way', async () => {
  const variants: readonly [Partial<Options>, Metadata, number][] = [
    [{ rawLeaves: true }, noMetadata, 300_000],
    [{ rawLeaves: true, cidVersion: 1 }, noMetadata, 300_000],
    [
      { cidVersion: 1, chunker: { kind: 'size', bytes: 262_144 }, maxFileLinks: 174 },
      noMetadata,
      262_144,
    ],
    [{ rawLeaves: true, chunker: { kind: 'size', bytes: 262_144 } }, noMetadata, 262_144],
    [{ chunker: { kind: 'size', bytes: 262_144 }, maxFileLinks: 174 }, dated, 262_144],
    [{ chunker: { kind: 'size', bytes: 262_144 }, maxFileLinks: 174 }, dated, 262_145],
    [{ rawLeaves: true, cidVersion: 1 }, dated, 300_000],
    [{ chunker: { kind: 'size', bytes: 5000 } }, noMetadata, 300_000],
    [{ layout: 'trickle' }, noMetadata, 300_000],
    [{ layout: 'trickle', rawLeaves: true, cidVersion: 1 }, noMetadata, 300_000],
    [{ chunker: { kind: 'buzhash' } }, noMetadata, 900_000],
    [{ chunker: { kind: 'rabin', min: 1000, average: 4096, max: 9000 } }, dated, 300_000],
  ]
  for (const [change, metadata, size] of variants) {
    const options = { ...plain, ...change }
    const bytes = bytesOf(size)
    const expected = await general(bytes, options, metadata)
    const { built } = await fast(pieces(bytes, 65_536), options, metadata)
    assert.equal(built.cid.toString(), expected.built.cid.toString(), JSON.stringify(change))
    assert.equal(built.size, expected.built.size)
  }
})

test('progress is reported as in the general way', async () => {
  const chunker = { kind: 'size', bytes: 65_536 } as const
  const options = { ...plain, chunker, progress: true }
  for (const size of [0, 1000, 262_144, 700_000]) {
    const bytes = bytesOf(size)
    const expected = await general(bytes, options, noMetadata)
    const { built } = await fast(pieces(bytes, 16_384), options, noMetadata)
    assert.deepEqual(built.reportedBytes, expected.built.reportedBytes, String(size))
  }
})

test('leaves count as blocks', async () => {
  const batch = createMemoryStore().batch()
  const into = createBlockSink(sink, 30, batch)
  const content = pushed(bytesOf(40 * 4 * kib), 16 * kib)
  const steps = importContent({ content, options: plain, metadata: noMetadata }, into)
  await assert.rejects(finish(steps), /request creates more than 30 blocks/)
})

test('identity, inlined and other hashes go the general way, as does what is not kept', () => {
  const keep: Keep = createMemoryStore().batch()
  assert.notEqual(createBlockSink(sink, 1, keep).leaves, null)
  assert.equal(createBlockSink({ ...sink, inline: true }, 1, keep).leaves, null)
  assert.equal(createBlockSink({ ...sink, hash: 'sha2-512' }, 1, keep).leaves, null)
  assert.equal(createBlockSink(sink, 1, null).leaves, null)
})
