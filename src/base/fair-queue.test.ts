import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.ts'

const stranger = (caller: string) => ({ caller, hasPriority: false })

function rig(limits: Partial<Parameters<typeof createFairQueue>[0]> = {}) {
  const line = createFairQueue({ concurrency: 1, queuedPerCallerMax: 4, queuedMax: 8, ...limits })
  const order: string[] = []
  const runs: Promise<unknown>[] = []
  const gate = Promise.withResolvers<void>()
  // Occupies the only slot until the others wait.
  const first = line.run(stranger('first'), () => gate.promise)
  if (first !== null) runs.push(first)
  /** False: the queue was full. */
  const push = (name: string, place = stranger(name.charAt(0))): boolean => {
    const run = line.run(place, async () => void order.push(name))
    if (run !== null) runs.push(run)
    return run !== null
  }
  const end = async () => {
    gate.resolve()
    await Promise.all(runs)
    return order
  }
  return { push, end }
}

test('lanes take turns, so one that sends much does not delay one that sends little', async () => {
  const { push, end } = rig()
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) push(name)
  assert.deepEqual(await end(), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4'])
})

test('known callers go before all waiting strangers', async () => {
  const { push, end } = rig()
  for (const name of ['a1', 'b1']) push(name)
  push('known', { caller: 'k', hasPriority: true })
  assert.deepEqual(await end(), ['known', 'a1', 'b1'])
})

test('a lane and a line are bounded, and strangers take no place of known callers', async () => {
  const { push, end } = rig({ queuedPerCallerMax: 2, queuedMax: 3 })
  assert.ok(push('a1') && push('a2'))
  assert.equal(push('a3'), false)
  assert.ok(push('b1'))
  assert.equal(push('c1'), false)
  assert.ok(push('known', { caller: 'c', hasPriority: true }))
  assert.deepEqual(await end(), ['known', 'a1', 'b1', 'a2'])
})

test('work that fails gives its turn back', async () => {
  const line = createFairQueue({ concurrency: 1, queuedPerCallerMax: 1, queuedMax: 1 })
  const failed = line.run(stranger('a'), () => Promise.reject(new Error('broken')))
  const next = line.run(stranger('b'), async () => 'done')
  await assert.rejects(failed ?? Promise.resolve(), /broken/)
  assert.equal(await next, 'done')
})
