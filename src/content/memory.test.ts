import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemory } from './memory.ts'
import type { ContentRef } from './ref.ts'

function node(number: number, kind: ContentRef['kind'] = 'trie-node'): ContentRef {
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(28, number)
  return { kind, hash }
}

test('gives back the bytes that were added under the same kind and hash, and no others', () => {
  const memory = createMemory({ bytesMax: 1_000_000 })
  const bytes = Uint8Array.of(1, 2, 3)
  memory.add(node(1), bytes)
  assert.equal(memory.find(node(1)), bytes)
  assert.equal(memory.find(node(2)), null)
  assert.equal(memory.find(node(1, 'code')), null)
})

test('stays within its bytes, and keeps what is used again and again', () => {
  const memory = createMemory({ bytesMax: 100_000 })
  memory.add(node(0), new Uint8Array(100))
  let held = 0
  for (let number = 1; number <= 1_000; number += 1) {
    memory.add(node(number), new Uint8Array(100))
    assert.notEqual(memory.find(node(0)), null)
  }
  for (let number = 0; number <= 1_000; number += 1) {
    if (memory.find(node(number)) !== null) held += 1
  }
  assert.ok(held * 100 <= 100_000, `${held} of 1001 entries are held`)
  assert.ok(held >= 50, `${held} of 1001 entries are held`)
})

test('does not give its room to one large thing', () => {
  const memory = createMemory({ bytesMax: 64_000 })
  memory.add(node(1), new Uint8Array(1_000))
  assert.equal(memory.find(node(1)), null)
})

test('forgets what it is told to forget, and remembers nothing without room', () => {
  const memory = createMemory({ bytesMax: 1_000_000 })
  memory.add(node(1), Uint8Array.of(1))
  memory.forget(node(1))
  assert.equal(memory.find(node(1)), null)
  const none = createMemory({ bytesMax: 0 })
  none.add(node(1), Uint8Array.of(1))
  assert.equal(none.find(node(1)), null)
})
