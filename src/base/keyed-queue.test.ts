import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from './fault.ts'
import { createKeyedQueue } from './keyed-queue.ts'

test('work with one name runs serially, work with different names runs in parallel', async () => {
  const lanes = createKeyedQueue(10)
  const finished: string[] = []
  const first = Promise.withResolvers<void>()
  const one = lanes.run('a', async () => {
    await first.promise
    finished.push('first')
    throw new Error('went wrong')
  })
  const two = lanes.run('a', async () => finished.push('second'))
  await lanes.run('b', async () => finished.push('other'))
  first.resolve()
  await assert.rejects(one, /went wrong/)
  await two
  assert.deepEqual(finished, ['other', 'first', 'second'])
})

test('more than may wait is refused, and there is room again afterwards', async () => {
  const lanes = createKeyedQueue(1)
  const blocked = Promise.withResolvers<void>()
  const one = lanes.run('a', () => blocked.promise)
  await assert.rejects(
    lanes.run('b', async () => {}),
    (error) => error instanceof Fault && error.code === 'overloaded',
  )
  blocked.resolve()
  await one
  assert.equal(await lanes.run('b', async () => 'done'), 'done')
})
