import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../base/fault.ts'
import type { ContentRef, Obtain } from '../content/ref.ts'
import type { BlockStore } from '../content/block-store.ts'
import { createAccountContent } from './account-content.ts'

const refOf = (byte: number): ContentRef => ({ kind: 'dag-block', hash: Uint8Array.of(byte) })
const signal = new AbortController().signal

/** Blocks 1 to 9 are stored; the account `ada` holds 1 to 5. `offers`: the blocks that sources supply. */
function rig(offers: readonly number[] = []) {
  const reads: number[] = []
  const obtain: Obtain = async ({ hash }) => hash
  const obtainOutside: Obtain = async ({ hash }) => {
    const [byte = 0] = hash
    reads.push(byte)
    if (!offers.includes(byte)) throw new Fault('not_found')
    return hash
  }
  const own = createAccountContent({
    store: {
      has: async () => true,
      get: async ({ hash }: ContentRef) => hash,
    } as unknown as BlockStore,
    obtain,
    obtainOutside,
    async *readRun(refs) {
      yield refs.map(({ hash }) => ({ data: hash, leaf: false }))
    },
    storedBy: (account, hashes) => hashes.map((hash) => account === 'ada' && (hash[0] ?? 0) <= 5),
  })
  return { ada: own.of('ada'), eve: own.of('eve'), reads }
}

test('a stored block is there for the account that holds it, and absent for another', async () => {
  const { ada, eve, reads } = rig()
  assert.deepEqual(await ada.obtain(refOf(1), {}, signal), Uint8Array.of(1))
  assert.ok(await ada.store.has(refOf(1)))
  for (const hint of [{}, { offline: true }]) {
    await assert.rejects(eve.obtain(refOf(1), hint, signal), { code: 'not_found' })
  }
  assert.deepEqual([await eve.store.has(refOf(1)), await eve.store.get(refOf(1))], [false, null])
  assert.deepEqual(reads, [1])
})

test('content that a source offers is read by all accounts, and fetched once', async () => {
  const { eve, reads } = rig([7])
  for (let n = 0; n < 3; n++) {
    assert.deepEqual(await eve.obtain(refOf(7), {}, signal), Uint8Array.of(7))
  }
  assert.deepEqual(reads, [7])
  assert.ok(await eve.store.has(refOf(7)))
})

test('in a run of blocks those of other accounts are absent, in their places', async () => {
  const { ada } = rig()
  const seen: (number | null)[] = []
  for await (const group of ada.readRun([1, 2, 7, 8, 3].map(refOf), signal)) {
    seen.push(...group.map((piece) => piece?.data[0] ?? null))
  }
  assert.deepEqual(seen, [1, 2, null, null, 3])
})
