import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createMessageMemory } from './message-memory.ts'

test('over the limit, the peer with the most bytes loses them', () => {
  const dropped: string[] = []
  const memory = createMessageMemory(100, (peer) => {
    dropped.push(peer)
    memory.of(peer).add(peer === 'large' ? -60 : -40)
  })
  memory.of('small').add(40)
  memory.of('large').add(60)
  deepEqual(dropped, [])
  memory.of('new').add(1)
  deepEqual(dropped, ['large'])
  memory.of('new').add(-1)
  memory.of('other').add(60)
  deepEqual(dropped, ['large'])
})
