import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEndings } from './endings.ts'
import type { ContentRef } from './ref.ts'

function named(...last: readonly number[]): ContentRef {
  const hash = new Uint8Array(32)
  hash.set(last, 32 - last.length)
  return { kind: 'trie-node', hash }
}

test('a name may be held until all that end alike are removed, and is not when none was added', () => {
  const endings = createEndings()
  const [one, alike, other] = [named(7, 1, 2), named(8, 1, 2), named(7, 1, 3)]
  assert.equal(endings.mayHold(one), false)
  endings.add(one)
  endings.add(alike)
  assert.deepEqual([one, alike, other].map(endings.mayHold), [true, true, false])
  endings.remove(one)
  assert.equal(endings.mayHold(alike), true)
  endings.remove(alike)
  assert.equal(endings.mayHold(one), false)
})

test('a name of less than two bytes is one as any other', () => {
  const endings = createEndings()
  const ref: ContentRef = { kind: 'dag-block', hash: Uint8Array.of(0) }
  endings.add(ref)
  assert.equal(endings.mayHold(ref), true)
})
