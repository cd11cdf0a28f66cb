import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createMemoryFileOps } from '../../../test/fakes/memory-file-ops.ts'
import { addLeaves, createSegmentFixture, readLeaves } from '../../../test/fakes/segment-fixture.ts'

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
    const gone = new AbortController()
    const run = store.read(refs, gone.signal)
    const step = await run.next()
    assert.ok(step.done !== true)
    const pieces = step.value.map((piece) => piece?.data ?? assert.fail('a piece is missing'))
    const copies = pieces.map((data) => Buffer.from(data))
    const next = run.next()
    gone.abort(new Error('out of time'))
    await assert.rejects(next, /out of time/)
    // Whoever reads now takes whatever buffers are free.
    for (let time = 0; time < 2; time += 1) {
      assert.ok((await readLeaves(store, others)).every((piece) => piece !== null))
    }
    for (const [at, data] of pieces.entries()) assert.ok(copies[at]?.equals(data), `piece ${at}`)
    await run.return(undefined)
    assert.deepEqual(await run.next(), { done: true, value: undefined })
  }
})
