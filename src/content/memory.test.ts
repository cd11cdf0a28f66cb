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

test('stays within its bytes, and does not give its room to one large thing', () => {
  const memory = createMemory({ bytesMax: 100_000 })
  for (let number = 0; number < 1_000; number += 1) memory.add(node(number), new Uint8Array(100))
  const numbers = Array.from({ length: 1_000 }, (_, number) => number)
  const held = numbers.filter((number) => memory.find(node(number)) !== null).length
  assert.ok(held > 0 && held * 100 <= 100_000, `${held} of 1000 entries are held`)
  memory.add(node(1_001), new Uint8Array(2_000))
  assert.equal(memory.find(node(1_001)), null)
})
