import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { MerklePatriciaTrie, type MPTNode } from '@ethereumjs/mpt'
import { MapDB, ValueEncoding } from '@ethereumjs/util'
import { seeded } from '../../../test/fakes/seeded.ts'
import { emptyTrieRoot } from '../../codec/ethereum/account-state.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { StateTrie } from './state-trie.ts'

const options = { useKeyHashingFunction: keccak256, valueEncoding: ValueEncoding.Bytes } as const

/** Two equal tries, ours and the library's, each with its own database. */
function both(useKeyHashing: boolean) {
  const db = new MapDB<string, Uint8Array>()
  const ours = new StateTrie({ ...options, useKeyHashing, db })
  const theirs = new MerklePatriciaTrie({ ...options, useKeyHashing, db: new MapDB() })
  return { ours, theirs, db }
}

const shown = ({ node, remaining, stack }: Awaited<ReturnType<StateTrie['findPath']>>) => ({
  node: node === null ? null : node.serialize(),
  remaining,
  stack: stack.map((one: MPTNode) => one.serialize()),
})

for (const useKeyHashing of [true, false]) {
  // Short keys with common prefixes produce extensions, embedded nodes and branches with a value.
  test(`puts, deletes and paths come out as in the library's trie (hashed keys: ${useKeyHashing})`, async () => {
    const random = seeded(useKeyHashing ? 1 : 2)
    const bytes = (length: number, to: number) => Uint8Array.from({ length }, () => random(to))
    const { ours, theirs } = both(useKeyHashing)
    for (let step = 0; step < 600; step++) {
      const key = bytes(useKeyHashing ? 2 : 1 + random(4), 4)
      const value = random(10) < 3 ? new Uint8Array() : bytes(1 + random(40), 256)
      await Promise.all([ours.put(key, value), theirs.put(key, value)])
      deepEqual(ours.root(), theirs.root())
      const sought = useKeyHashing ? keccak256(bytes(2, 4)) : bytes(random(5), 5)
      deepEqual(shown(await ours.findPath(sought)), shown(await theirs.findPath(sought)))
      deepEqual(await ours.get(key), await theirs.get(key))
    }
  })
}

test('checkpoints, reverts and copies come out as in the library', async () => {
  const { ours, theirs } = both(true)
  const key = (at: number) => Uint8Array.of(at)
  for (const trie of [ours, theirs]) {
    await trie.put(key(1), key(1))
    trie.checkpoint()
    await trie.put(key(2), key(2))
    trie.checkpoint()
    await trie.put(key(3), key(3))
    await trie.revert()
    await trie.put(key(4), key(4))
  }
  deepEqual(ours.root(), theirs.root())
  const copy = ours.shallowCopy()
  deepEqual(await copy.get(key(4)), key(4))
  equal(copy instanceof StateTrie, true)
  await ours.commit()
  await theirs.commit()
  deepEqual(ours.root(), theirs.root())
  deepEqual(await ours.shallowCopy(false).get(key(2)), key(2))
})

test('an empty trie has nothing, and its database is not asked', async () => {
  const db = new MapDB<string, Uint8Array>()
  db.get = () => Promise.reject(new Error('asked'))
  const trie = new StateTrie({ ...options, useKeyHashing: true, db })
  deepEqual(trie.root(), emptyTrieRoot)
  equal(await trie.get(Uint8Array.of(1)), null)
  await trie.del(Uint8Array.of(1))
  equal(await trie.checkRoot(emptyTrieRoot), true)
  deepEqual(trie.root(), emptyTrieRoot)
})

test('a missing node ends a path as in the library, and is an error where it must exist', async () => {
  const { ours, db } = both(true)
  for (let at = 0; at < 40; at++) await ours.put(Uint8Array.of(at), Uint8Array.of(at + 1))
  const { stack } = await ours.findPath(keccak256(Uint8Array.of(7)))
  const below = keccak256((stack.at(1) as MPTNode).serialize())
  await db.del(Buffer.from(below).toString('hex'))
  const { node, stack: found } = await ours.findPath(keccak256(Uint8Array.of(7)))
  deepEqual([node, found.length], [null, 1])
  await rejects(ours.findPath(keccak256(Uint8Array.of(7)), true), /Missing node in DB/)
  equal(await ours.checkRoot(below), false)
})
