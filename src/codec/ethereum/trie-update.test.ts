// Updating a trie with only the nodes of proofs gives the same root as building it from all its pairs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toHex } from '../../base/hex.ts'
import { keccak256 } from '../hash/keccak.ts'
import { buildTrie, trieRoot } from './trie-build.ts'
import { KnownNodes, type TrieChange, UnknownNode, updateTrie } from './trie-update.ts'
import { toNibbles } from './trie-node.ts'
import { walkProof } from './trie-walk.ts'

/** Keys differ in few bits, so that paths fork late and often. */
const keyOf = (number: number): Uint8Array => {
  const key = new Uint8Array(4)
  key.set([0x11 * (number & 1), (number >> 1) & 0x13, 0, (number >> 3) & 0xff])
  return key
}
/** Short values produce embedded nodes. */
const valueOf = (number: number): Uint8Array => new Uint8Array(1 + (number % 40)).fill(number | 1)

const numbers = fc.uniqueArray(fc.nat(300), { maxLength: 60 })

function pairsOf(stored: ReadonlyMap<string, Uint8Array>): [Uint8Array, Uint8Array][] {
  return [...stored].map(([key, value]) => [Uint8Array.from(Buffer.from(key, 'hex')), value])
}

const nameOf = (key: Uint8Array): string => Buffer.from(key).toString('hex')

/** Only the nodes on the paths of `keys`. */
function provedNodes(
  { root, nodes }: ReturnType<typeof buildTrie>,
  keys: readonly Uint8Array[],
): KnownNodes {
  const all = new Map(nodes.map((node) => [toHex(keccak256(node)), node]))
  const known = new KnownNodes()
  for (const key of keys) {
    walkProof(root, key, (hash) => {
      const node = all.get(toHex(hash)) ?? null
      if (node !== null) known.add(node)
      return node
    })
  }
  return known
}

test('changes over all nodes, and additions over the proofs of their keys, give the root of the whole trie', () => {
  fc.assert(
    fc.property(
      numbers,
      numbers,
      fc.array(fc.boolean(), { minLength: 60 }),
      (before, after, retained) => {
        const stored = new Map(before.map((number) => [nameOf(keyOf(number)), valueOf(number)]))
        const built = buildTrie(pairsOf(stored))
        const changes = new Map<string, TrieChange>()
        for (const [index, number] of after.entries()) {
          const key = keyOf(number)
          const value = retained[index] === true ? valueOf(number + 7) : null
          changes.set(nameOf(key), { key, value })
        }
        const keys = [...changes.values()].map(({ key }) => key)
        const added = [...changes.values()].filter(({ value }) => value !== null)
        const whole = new KnownNodes()
        for (const node of built.nodes) whole.add(node)
        for (const [nodes, some] of [
          [whole, [...changes.values()]],
          [provedNodes(built, keys), added],
        ] as const) {
          const expected = new Map(stored)
          for (const { key, value } of some) {
            if (value === null) expected.delete(nameOf(key))
            else expected.set(nameOf(key), value)
          }
          const root = updateTrie(built.root, some, nodes)
          assert.deepEqual(root, trieRoot(pairsOf(expected)))
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('a later change finds the nodes of an earlier one', () => {
  fc.assert(
    fc.property(numbers, fc.array(numbers, { maxLength: 5 }), (before, rounds) => {
      const stored = new Map(before.map((number) => [nameOf(keyOf(number)), valueOf(number)]))
      const built = buildTrie(pairsOf(stored))
      const nodes = provedNodes(built, rounds.flat().map(keyOf))
      let { root } = built
      for (const [round, added] of rounds.entries()) {
        const changes = new Map(
          added.map((number) => [
            nameOf(keyOf(number)),
            { key: keyOf(number), value: valueOf(number + round) },
          ]),
        )
        for (const [name, { value }] of changes) stored.set(name, value)
        root = updateTrie(root, [...changes.values()], nodes)
        assert.deepEqual(root, trieRoot(pairsOf(stored)))
      }
    }),
  )
})

test('a removal over proofs gives the right root, or names the node that it lacks', () => {
  let lacking = 0
  fc.assert(
    fc.property(numbers, numbers, (before, removed) => {
      const stored = new Map(before.map((number) => [nameOf(keyOf(number)), valueOf(number)]))
      const built = buildTrie(pairsOf(stored))
      const keys = [...new Map(removed.map((one) => [nameOf(keyOf(one)), keyOf(one)])).values()]
      const changes = keys.map((key) => ({ key, value: null }))
      const nodes = provedNodes(built, keys)
      for (const key of keys) stored.delete(nameOf(key))
      try {
        assert.deepEqual(updateTrie(built.root, changes, nodes), trieRoot(pairsOf(stored)))
      } catch (thrown) {
        assert(thrown instanceof UnknownNode)
        const { hash, path } = thrown
        const below = before.map(keyOf).find((key) =>
          toNibbles(key)
            .subarray(0, path.length)
            .every((nibble, at) => nibble === path[at]),
        )
        // A proof of any key below the path contains the node.
        assert(below !== undefined && provedNodes(built, [below]).has(hash))
        lacking += 1
      }
    }),
    { numRuns: 500 },
  )
  assert(lacking > 0)
})
