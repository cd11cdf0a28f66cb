// The tries of a fork: each read and write gives the value of the complete trie, whichever nodes are stored locally.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { Caches } from '@ethereumjs/statemanager'
import { createAddressFromString, ValueEncoding } from '@ethereumjs/util'
import { systemClock } from '../../base/clock.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { emptyTrieRoot, encodeAccountState } from '../../codec/ethereum/account-state.ts'
import { encodeRlp } from '../../codec/ethereum/rlp.ts'
import { buildTrie } from '../../codec/ethereum/trie-build.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { createMemoryStore } from '../../content/memory-store.ts'
import { seeded } from '../../../test/fakes/seeded.ts'
import { createStateNetwork } from '../../../test/fakes/upstream/state-network.ts'
import { createRulesOf } from '../../evm/chain-rules.ts'
import { createCrypto } from '../../evm/chain-crypto.ts'
import { createTrieDatabase } from '../engine/trie-database.ts'
import { defaultGenesis } from '../default-genesis.ts'
import { createForkLoader } from './fork-loader.ts'
import { type ForkRead, ForkReadFailed } from './fork-reads.ts'
import { ForkedState, ForkedTrie } from './forked-state.ts'

const code = fromHex('0x5f5f')
const contract = fromHex(`0x${'76'.repeat(20)}`)
const slots = 300
const word = (value: number) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)
const short = (value: number) => fromHex(`0x${value.toString(16).padStart(4, '0')}`)

/** A contract with slots 0 to 299 of the values 1000 to 1299, and 200 other accounts. */
async function forkOf({ lacks = [] as readonly Uint8Array[] } = {}) {
  const storage = buildTrie(
    Array.from({ length: slots }, (_, at) => [keccak256(word(at)), encodeRlp(short(1_000 + at))]),
  )
  const leaf = (balance: bigint, storageRoot: Uint8Array, codeHash: Uint8Array) =>
    encodeAccountState({ nonce: 1n, balance, storageRoot, codeHash })
  const state = buildTrie([
    [keccak256(contract), leaf(0n, storage.root, keccak256(code))],
    ...Array.from(
      { length: 200 },
      (_, at) =>
        [
          keccak256(word(at).subarray(12)),
          leaf(BigInt(at), emptyTrieRoot, keccak256(new Uint8Array(0))),
        ] as const,
    ),
  ])
  const missing = new Set(lacks.map(toHex))
  const network = createStateNetwork({
    root: state.root,
    nodes: [...state.nodes, ...storage.nodes].filter((node) => !missing.has(toHex(node))),
    codes: [code],
    header: { number: 9n },
  })
  const store = createMemoryStore()
  const point = {
    source: 'dev',
    block: 'latest',
    number: 9n,
    hash: network.head.latest().hash,
    stateRoot: state.root,
  }
  const loader = createForkLoader({ point, source: () => network, store, clock: systemClock })
  const reads: ForkRead[] = []
  const common = createRulesOf(defaultGenesis.config, createCrypto()).at({
    number: 10n,
    timestamp: 10n,
  })

  async function open(root: Uint8Array, tries = createTrieDatabase(store, { isForked: true })) {
    const forked = {
      block: null,
      async read(read: ForkRead) {
        reads.push(read)
        try {
          return await loader.load(read)
        } catch (cause) {
          throw new ForkReadFailed('no_state', { cause, detail: (cause as Error).message })
        }
      },
    }
    const trie = new ForkedTrie(
      {
        db: tries,
        common,
        useKeyHashing: true,
        useRootPersistence: false,
        valueEncoding: ValueEncoding.Bytes,
      },
      forked,
    )
    const opened = new ForkedState({ common, trie, caches: new Caches() }, forked)
    await opened.setStateRoot(root)
    return opened
  }
  const address = createAddressFromString(toHex(contract))
  return { open, store, state, storage, reads, address }
}

test('values are those of the forked state, and each path is read once', async () => {
  const { open, state, reads, address } = await forkOf()
  const forked = await open(state.root)
  deepEqual(await forked.getStorage(address, word(7)), short(1_007))
  deepEqual(await forked.getStorage(address, word(slots)), new Uint8Array(0))
  deepEqual(await forked.getCode(address), code)
  const other = createAddressFromString(toHex(word(33).subarray(12)))
  equal((await forked.getAccount(other))?.balance, 33n)
  equal(await forked.getAccount(createAddressFromString(`0x${'ee'.repeat(20)}`)), undefined)
  ok(reads.length <= 7, `${reads.length} reads`)
  const before = reads.length
  const again = await open(state.root)
  deepEqual(await again.getStorage(address, word(7)), short(1_007))
  deepEqual(await again.getCode(address), code)
  equal(reads.length, before)
})

test('after any writes and deletions every slot has the value that was written last', async () => {
  const { open, store, state, address } = await forkOf()
  const random = seeded(85)
  const model = new Map(Array.from({ length: slots }, (_, at) => [at, 1_000 + at]))
  const tries = createTrieDatabase(store, { isForked: true })
  let { root } = state
  for (let block = 0; block < 30; block += 1) {
    const forked = await open(root, tries)
    await forked.checkpoint()
    for (let write = 0; write < 20; write += 1) {
      const at = random(slots + 20)
      // Deletions leave branches with one child, and delete these later.
      const value = random(10) < 8 ? 0 : 1 + random(60_000)
      await forked.putStorage(address, word(at), word(value))
      if (value === 0) model.delete(at)
      else model.set(at, value)
    }
    await forked.commit()
    root = await forked.getStateRoot()
    await store.put(tries.reachable(root))
    tries.clear()
  }
  const reader = await open(root, createTrieDatabase(store, { isForked: true }))
  for (let at = 0; at < slots + 20; at += 1) {
    const expected = model.get(at)
    const value = await reader.getStorage(address, word(at))
    equal(BigInt(toHex(value).padEnd(3, '0')), BigInt(expected ?? 0), `slot ${at}`)
  }
})

test('a contract whose slots are all deleted has the empty storage', async () => {
  const { open, state, address } = await forkOf()
  const forked = await open(state.root)
  for (let at = 0; at < slots; at += 1) {
    await forked.putStorage(address, word(at), word(0))
    await forked.flush()
  }
  deepEqual((await forked.getAccount(address))?.storageRoot, emptyTrieRoot)
})

test('a node that no source has fails the read and the write, and is taken for no absence', async () => {
  const { storage } = await forkOf()
  const { open, state, address } = await forkOf({ lacks: storage.nodes.slice(1) })
  const forked = await open(state.root)
  await rejects(forked.getStorage(address, word(7)), /slot 0x0{63}7 of account 0x76/)
  // After a failed write the trie's lock is released.
  for (const value of [word(8), word(0)]) {
    await rejects(forked.putStorage(address, word(7), value), ForkReadFailed)
  }
  equal((await forked.getAccount(address))?.nonce, 1n)
})
