import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { startIdleCollections } from './idle-collections.ts'

const mib = 1024 * 1024

/** A heap with `live` MiB of objects and some garbage; it is checked every 10 seconds. */
function rig(live: number) {
  const clock = createManualClock()
  const heap = { live, garbage: 0, collections: 0 }
  const stop = startIdleCollections(clock, {
    used: () => (heap.live + heap.garbage) * mib,
    collect() {
      heap.collections += 1
      heap.garbage = 0
    },
  })
  const looks = (count: number): number => {
    clock.advance(count * 10_000)
    return heap.collections
  }
  return { clock, heap, stop, looks }
}

test('the garbage of a large request is collected once allocation has stopped', () => {
  const { clock, heap, stop, looks } = rig(30)
  for (let step = 0; step < 10; step += 1) {
    heap.garbage += 20
    assert.equal(looks(1), 0, 'while it grows, V8 collects by itself')
  }
  assert.equal(looks(1), 1)
  assert.equal(looks(100), 1)
  stop()
  assert.equal(clock.timers, 0)
})

test('little garbage causes no collection, V8 collections are detected, and collections have a minimum interval', () => {
  const { heap, looks } = rig(30)
  heap.garbage = 12
  assert.equal(looks(30), 0)
  heap.garbage = 20
  assert.equal(looks(2), 1)
  heap.garbage = 20
  assert.equal(looks(20), 1)
  assert.equal(looks(20), 2)
  const large = rig(300)
  large.heap.live = 30
  large.looks(1)
  large.heap.garbage += 20
  assert.equal(large.looks(2), 1)
})

test('what was still in use at a collection is looked at again', () => {
  const { heap, looks } = rig(30)
  heap.live = 230
  assert.equal(looks(2), 1)
  heap.live = 30
  heap.garbage = 200
  assert.equal(looks(20), 1)
  assert.equal(looks(30), 2)
  assert.equal(looks(100), 2)
})

test('the heap of this process is collected', () => {
  const clock = createManualClock()
  let retained: object[] | null = []
  const stop = startIdleCollections(clock)
  for (let at = 0; at < 1_500_000; at += 1) retained.push({ at, text: `n${at}` })
  clock.advance(10_000)
  const collected = new WeakRef(retained)
  retained = null
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    clock.advance(20_000)
    assert.equal(collected.deref(), undefined)
    stop()
  })
})
