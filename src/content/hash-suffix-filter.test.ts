import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHashSuffixFilter } from './hash-suffix-filter.ts'
import type { ContentRef } from './ref.ts'

function named(...last: readonly number[]): ContentRef {
  const hash = new Uint8Array(32)
  hash.set(last, 32 - last.length)
  return { kind: 'trie-node', hash }
}

test('a name may be held until all that end alike are removed, and is not when none was added', () => {
  const hashSuffixes = createHashSuffixFilter()
  const [one, alike, other] = [named(7, 1, 2), named(8, 1, 2), named(7, 1, 3)]
  assert.equal(hashSuffixes.mayHold(one), false)
  hashSuffixes.add(one)
  hashSuffixes.add(alike)
  assert.deepEqual([one, alike, other].map(hashSuffixes.mayHold), [true, true, false])
  hashSuffixes.remove(one)
  assert.equal(hashSuffixes.mayHold(alike), true)
  hashSuffixes.remove(alike)
  assert.equal(hashSuffixes.mayHold(one), false)
})

test('a name of less than two bytes is one as any other', () => {
  const hashSuffixes = createHashSuffixFilter()
  const ref: ContentRef = { kind: 'dag-block', hash: Uint8Array.of(0) }
  hashSuffixes.add(ref)
  assert.equal(hashSuffixes.mayHold(ref), true)
})
