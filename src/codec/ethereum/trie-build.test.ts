import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMPT } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { toHex } from '../../base/hex.ts'
import { emptyTrieRoot } from './account-state.ts'
import { keccak256 } from '../hash/keccak.ts'
import { Malformed, encodeInteger, encodeRlp } from './rlp.ts'
import { decodeTrieNode, stepThrough, toNibbles } from './trie-node.ts'
import { orderedKey, orderedRoot } from './ordered-trie.ts'
import { buildTrie } from './trie-build.ts'

type Pair = readonly [Uint8Array, Uint8Array]

async function oracleRoot(pairs: readonly Pair[]): Promise<string> {
  const trie = await createMPT()
  for (const [key, value] of pairs) await trie.put(key, value)
  return toHex(trie.root())
}

/** Follows hashes through the built nodes as a reader of a proof does. */
function find(pairs: readonly Pair[], key: Uint8Array): Uint8Array | null {
  const { root, nodes } = buildTrie(pairs)
  const byHash = new Map(nodes.map((node) => [toHex(keccak256(node)), node]))
  let next = root
  let rest = toNibbles(key)
  if (toHex(root) === toHex(emptyTrieRoot)) return null
  for (;;) {
    const bytes = byHash.get(toHex(next))
    assert.ok(bytes, 'every hash a node names is the hash of another node')
    const step = stepThrough(decodeTrieNode(bytes, { branchValues: true }), rest)
    if (step === 'absent') return null
    if ('value' in step) return step.value
    next = step.next
    rest = step.rest
  }
}

/** Short keys share long prefixes; short values produce embedded nodes. */
const crowded = fc.uniqueArray(
  fc.tuple(
    fc
      .array(fc.constantFrom(0x00, 0x01, 0x10, 0x11), { minLength: 1, maxLength: 4 })
      .map((it) => Uint8Array.from(it)),
    fc.uint8Array({ minLength: 1, maxLength: 40 }),
  ),
  { maxLength: 24, selector: ([key]) => toHex(key) },
)
const hashed = fc.uniqueArray(
  fc.tuple(
    fc.nat(5000).map((it) => keccak256(orderedKey(it))),
    fc.uint8Array({ minLength: 1, maxLength: 80 }),
  ),
  { maxLength: 40, selector: ([key]) => toHex(key) },
)

test('any trie has the root an independent implementation gives it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(crowded, hashed), async (pairs) => {
      assert.equal(toHex(buildTrie(pairs).root), await oracleRoot(pairs))
    }),
  )
})

test('every key is found by walking the built nodes, and a key that was not put is absent', () => {
  fc.assert(
    fc.property(
      fc.oneof(crowded, hashed),
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
      (pairs, other) => {
        for (const [key, value] of pairs) assert.deepEqual(find(pairs, key), value)
        const isPut = pairs.some(([key]) => toHex(key) === toHex(other))
        if (!isPut) assert.equal(find(pairs, other), null)
      },
    ),
    { numRuns: 40 },
  )
})

test('two keys that share 63 nibbles, alone in their trie, are both found', async () => {
  const key = keccak256(Uint8Array.of(1))
  const sibling = key.with(31, (key[31] ?? 0) ^ 1)
  for (const value of [Uint8Array.of(9), new Uint8Array(33).fill(9)]) {
    const pairs: Pair[] = [
      [sibling, value],
      [key, value],
    ]
    assert.equal(toHex(buildTrie(pairs).root), await oracleRoot(pairs))
    assert.deepEqual(find(pairs, key), value)
    assert.equal(find(pairs, key.with(31, (key[31] ?? 0) ^ 3)), null)
    assert.equal(find(pairs, key.with(0, (key[0] ?? 0) ^ 1)), null)
  }
})

test('a trie of one leaf is that leaf, hashed however short', () => {
  const { root, nodes } = buildTrie([[Uint8Array.of(1), Uint8Array.of(2)]])
  assert.deepEqual(nodes.map(toHex), ['0xc482200102'])
  assert.deepEqual(root, keccak256(nodes[0] ?? new Uint8Array(0)))
})

test('an empty trie has the empty root and no nodes', () => {
  assert.deepEqual(buildTrie([]), { root: emptyTrieRoot, nodes: [] })
  assert.deepEqual(orderedRoot([]), emptyTrieRoot)
})

test('empty values and equal keys are refused', () => {
  const key = Uint8Array.of(1)
  assert.throws(() => buildTrie([[key, new Uint8Array(0)]]), Malformed)
  assert.throws(
    () =>
      buildTrie([
        [key, key],
        [Uint8Array.of(1), key],
      ]),
    Malformed,
  )
})

for (const count of [0, 1, 2, 16, 127, 128, 129, 255, 256, 257, 300]) {
  test(`a list of ${count} has the ordered root an independent implementation gives it`, async () => {
    // Lengths 1..60: both embedded and hashed leaves.
    const entries = Array.from({ length: count }, (_, index) =>
      new Uint8Array(1 + ((index * 7) % 60)).fill((index % 255) + 1),
    )
    const pairs = entries.map((entry, index) => [orderedKey(index), entry] as const)
    assert.equal(toHex(orderedRoot(entries)), await oracleRoot(pairs))
    assert.deepEqual(buildTrie(pairs).root, orderedRoot(entries))
  })
}

test('the key of any index is its RLP', () => {
  for (const index of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    assert.deepEqual(orderedKey(index), encodeRlp(encodeInteger(index)))
  }
})
