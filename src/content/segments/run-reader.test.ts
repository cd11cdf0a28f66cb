import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createHostedHash } from '../../../test/fakes/files/hash-worker-thread.ts'
import { createMemoryFileOps } from '../../../test/fakes/files/memory-file-ops.ts'
import {
  addLeaves,
  createSegmentFixture,
  readLeaves,
} from '../../../test/fakes/files/segment-fixture.ts'
import { seeded } from '../../../test/fakes/seeded.ts'
import { silentLog } from '../../base/log.ts'
import { createParallelVerify } from '../../codec/hash/parallel-verify.ts'
import { verifyDagBlock, verifyLeaf } from '../../codec/ipld/verify-dag-block.ts'
import { createSequentialRead } from '../sequential-read.ts'

function file(bytes: number, name: string): Buffer {
  return createHash('shake256', { outputLength: bytes }).update(name).digest()
}

test('a group stays as it is until its caller is done with it, though the next one cannot be had', async (t) => {
  const { store } = createSegmentFixture(t, {
    ops: createMemoryFileOps(),
    limits: { readBuffers: 3 },
  })
  const mine = await addLeaves(store, file(5_000_000, 'mine'))
  const others = await addLeaves(store, file(5_000_000, 'others'))
  const refs = mine.map(({ multihash }) => ({ kind: 'dag-block' as const, hash: multihash }))
  for (let round = 0; round < 4; round += 1) {
    const abort = new AbortController()
    const run = store.read(refs, abort.signal)
    const step = await run.next()
    assert.ok(step.done !== true)
    const pieces = step.value.map((piece) => piece?.data ?? assert.fail('a piece is missing'))
    const copies = pieces.map((data) => Buffer.from(data))
    const next = run.next()
    abort.abort(new Error('out of time'))
    await assert.rejects(next, /out of time/)
    // Other readers use all free buffers.
    for (let time = 0; time < 2; time += 1) {
      assert.ok((await readLeaves(store, others)).every((piece) => piece !== null))
    }
    for (const [at, data] of pieces.entries()) assert.ok(copies[at]?.equals(data), `piece ${at}`)
    await run.return(undefined)
    assert.deepEqual(await run.next(), { done: true, value: undefined })
  }
})

test('leaving during a read reports no copy as corrupt, and every byte is right', async (t) => {
  const random = seeded(31)
  const memory = createMemoryFileOps()
  const ops = {
    ...memory,
    async read(...args: Parameters<typeof memory.read>) {
      for (let turn = random(20); turn > 0; turn -= 1) await setImmediate()
      return await memory.read(...args)
    },
  }
  const { store } = createSegmentFixture(t, { ops, limits: { readBuffers: 6 } })
  const events: string[] = []
  const readRun = createSequentialRead({
    store,
    verify: ({ hash }, bytes) => verifyDagBlock(hash, bytes),
    verifyLeaf,
    verifyInParallel: createParallelVerify(createHostedHash()),
    log: silentLog,
    count: (event) => events.push(event),
  })
  const files = await Promise.all(
    Array.from({ length: 4 }, (_, index) => addLeaves(store, file(4_000_000, `file ${index}`))),
  )

  async function read(): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      const leaves = files[random(files.length)] ?? []
      const refs = leaves.map(({ multihash }) => ({ kind: 'dag-block' as const, hash: multihash }))
      const abort = new AbortController()
      let left = random(120)
      const leaving = async (): Promise<void> => {
        for (; left > 0; left -= 1) await setImmediate()
        abort.abort(new Error('left'))
      }
      const done = random(3) > 0 ? leaving() : null
      let at = 0
      try {
        for await (const group of readRun(refs, abort.signal)) {
          for (const piece of group) {
            // Like a caller that takes a while to send the group.
            for (let turn = random(8); turn > 0; turn -= 1) await setImmediate()
            verifyLeaf(refs[at]?.hash ?? new Uint8Array(0), piece?.data ?? new Uint8Array(0))
            at += 1
          }
        }
      } catch (error) {
        assert.match(String(error), /left/)
      }
      await done
    }
  }

  await Promise.all(Array.from({ length: 5 }, read))
  assert.ok(!events.includes('bad_copy'))
})
