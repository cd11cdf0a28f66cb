import assert from 'node:assert/strict'
import test from 'node:test'
import { toBareHex } from '../../base/hex.ts'
import { emptyTrieRoot, encodeAccountState } from '../../codec/ethereum/account-state.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { buildTrie } from '../../codec/ethereum/trie-build.ts'
import { createMemoryStore } from '../../content/memory-store.ts'
import { createTrieDatabase, recentBytesMax } from './trie-database.ts'

const key = (bytes: Uint8Array) => toBareHex(keccak256(bytes))
const word = (fill: number) => new Uint8Array(32).fill(fill)

test('only what a state root reaches is given to the commit', async () => {
  const tries = createTrieDatabase(createMemoryStore())
  const code = new Uint8Array([1, 2, 3])
  const storage = buildTrie([1, 2, 3].map((fill) => [keccak256(word(fill)), word(fill)] as const))
  const account = encodeAccountState({
    nonce: 1n,
    balance: 5n,
    storageRoot: storage.root,
    codeHash: keccak256(code),
  })
  const state = buildTrie([1, 2].map((fill) => [keccak256(word(fill)), account] as const))
  const stray = new Uint8Array(40).fill(7)
  const nodes = [...storage.nodes, ...state.nodes, stray]
  await tries.batch(nodes.map((value) => ({ type: 'put', key: key(value), value })))
  await tries.put(`63${key(code)}`, code)
  assert.deepEqual(await tries.shallowCopy().get(key(stray)), stray)
  const reached = tries.reachable(state.root)
  assert.deepEqual(reached[0]?.ref, { kind: 'trie-node', hash: state.root })
  assert.deepEqual(
    new Set(reached.map(({ bytes }) => key(bytes))),
    new Set([...storage.nodes, ...state.nodes, code].map(key)),
  )
  assert.deepEqual(tries.reachable(emptyTrieRoot), [])
  tries.clear()
  assert.equal(await tries.get(key(stray)), undefined)
})

test('stored nodes are read through and are not committed again', async () => {
  const store = createMemoryStore()
  const { root, nodes } = buildTrie([[keccak256(word(1)), word(9)]])
  const bytes = nodes[0] ?? word(0)
  await store.put([{ ref: { kind: 'trie-node', hash: root }, bytes }])
  const tries = createTrieDatabase(store)
  assert.deepEqual(await tries.get(toBareHex(root)), bytes)
  assert.deepEqual(tries.reachable(root), [])
})

test('what a commit took is at hand before the store has it, and forgotten when the commit failed', async () => {
  const tries = createTrieDatabase(createMemoryStore())
  const account = encodeAccountState({
    nonce: 1n,
    balance: 5n,
    storageRoot: emptyTrieRoot,
    codeHash: keccak256(new Uint8Array(0)),
  })
  const { root, nodes } = buildTrie([[keccak256(word(1)), account]])
  const bytes = nodes[0] ?? word(0)
  await tries.put(toBareHex(root), bytes)
  assert.equal(tries.reachable(root).length, 1)
  tries.clear()
  assert.deepEqual(await tries.get(toBareHex(root)), bytes)
  tries.forget()
  assert.equal(await tries.get(toBareHex(root)), undefined)
})

test('what commits took is in memory only until as many bytes again were taken', async () => {
  const tries = createTrieDatabase(createMemoryStore())
  const takeCode = async (fill: number) => {
    const code = new Uint8Array(recentBytesMax).fill(fill)
    const account = encodeAccountState({
      nonce: 1n,
      balance: 5n,
      storageRoot: emptyTrieRoot,
      codeHash: keccak256(code),
    })
    const state = buildTrie([[keccak256(word(fill)), account]])
    await tries.put(toBareHex(state.root), state.nodes[0] ?? word(0))
    await tries.put(`63${key(code)}`, code)
    tries.reachable(state.root)
    return `63${key(code)}`
  }
  const first = await takeCode(1)
  await takeCode(2)
  assert.notEqual(await tries.get(first), undefined)
  await takeCode(3)
  assert.equal(await tries.get(first), undefined)
})

test('a node that does not hash to its key, a delete and a strange key are bugs', async () => {
  const tries = createTrieDatabase(createMemoryStore())
  await assert.rejects(tries.put(toBareHex(word(1)), word(2)), /wrote a bad node/)
  await assert.rejects(tries.del(toBareHex(word(1))), /asked to delete/)
  const removal = { type: 'del' as const, key: toBareHex(word(1)) }
  await assert.rejects(tries.batch([removal]), /asked to delete/)
  await assert.rejects(tries.get('__root__'), /key of another form/)
})
