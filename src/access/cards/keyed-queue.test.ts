import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../base/fault.ts'
import { createKeyedQueue } from './keyed-queue.ts'

test('work under one name runs one after another, under different names at once', async () => {
  const lanes = createKeyedQueue(10)
  const said: string[] = []
  const first = Promise.withResolvers<void>()
  const one = lanes.run('a', async () => {
    await first.promise
    said.push('first')
    throw new Error('went wrong')
  })
  const two = lanes.run('a', async () => said.push('second'))
  await lanes.run('b', async () => said.push('other'))
  first.resolve()
  await assert.rejects(one, /went wrong/)
  await two
  assert.deepEqual(said, ['other', 'first', 'second'])
})

test('more than may wait is refused, and there is room again afterwards', async () => {
  const lanes = createKeyedQueue(1)
  const held = Promise.withResolvers<void>()
  const one = lanes.run('a', () => held.promise)
  await assert.rejects(
    lanes.run('b', async () => {}),
    (error) => error instanceof Fault && error.code === 'overloaded',
  )
  held.resolve()
  await one
  assert.equal(await lanes.run('b', async () => 'done'), 'done')
})
