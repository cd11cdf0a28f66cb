import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccak256 } from '../codec/hash/keccak.ts'
import type { LocalStore } from './block-store.ts'
import { createMemoryStore } from './memory-store.ts'
import type { ContentRef } from './ref.ts'
import { verifiedFinds } from './verified-finds.ts'

const bytes = new Uint8Array(100).fill(7)
const ref: ContentRef = { kind: 'code', hash: keccak256(bytes) }
const wrong = bytes.with(3, 8)

test('a copy that one read got wrong is found; one that stays wrong or is in quarantine is damaged', async () => {
  const store = createMemoryStore()
  assert.equal(verifiedFinds(store).peek(ref), null)
  await store.put([{ ref, bytes }])
  assert.deepEqual(verifiedFinds(store).peek(ref), bytes)
  const once: LocalStore = {
    ...store,
    peek: (asked, copy) => (copy === undefined ? wrong : store.peek(asked, copy)),
  }
  assert.deepEqual(verifiedFinds(once).peek(ref), bytes)
  const always = { ...store, peek: () => wrong }
  assert.throws(() => verifiedFinds(always).peek(ref), { code: 'damaged' })
  await store.quarantine(ref)
  assert.throws(() => verifiedFinds(store).peek(ref), { code: 'damaged' })
})
