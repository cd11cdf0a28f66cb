// The state walk over small tries: presence, each kind of proved absence, and missing nodes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  createFakeHead,
  createFakeNetwork,
  createFakeObtain,
} from '../../test/fakes/upstream/network.ts'
import { toHex } from '../base/hex.ts'
import {
  type AccountState,
  emptyCodeHash,
  emptyTrieRoot,
  encodeAccountState,
} from '../codec/ethereum/account-state.ts'
import type { Header } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { encodeInteger, encodeRlp } from '../codec/ethereum/rlp.ts'
import { buildTrie } from '../codec/ethereum/trie-build.ts'
import { type ContentRef, type UnverifiedItem, refKey } from '../content/ref.ts'
import type { Network } from './network.ts'
import { createAccountMemory } from './proved-memory.ts'
import { recordReads } from './recorded-reads.ts'
import { type AccountAt, findAccount, readCode, readStorage } from './state.ts'
import { completeRead, beginRead, SuspendedRead } from './read.ts'

const { signal } = new AbortController()

function bytes(length: number, value: bigint): Uint8Array {
  return new Uint8Array(Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex'))
}

function nodesOf(nodes: readonly Uint8Array[]): readonly UnverifiedItem[] {
  return nodes.map((node) => ({ ref: { kind: 'trie-node', hash: keccak256(node) }, bytes: node }))
}

function world(slots: ReadonlyMap<bigint, bigint>, accounts: number, code?: Uint8Array) {
  const storage = buildTrie(
    [...slots].map(([slot, value]) => [
      keccak256(bytes(32, slot)),
      encodeRlp(encodeInteger(value)),
    ]),
  )
  const account: AccountState = {
    nonce: 7n,
    balance: 10n ** 18n,
    storageRoot: slots.size === 0 ? emptyTrieRoot : storage.root,
    codeHash: code === undefined ? emptyCodeHash : keccak256(code),
  }
  const state = buildTrie(
    Array.from({ length: accounts }, (_, index) => [
      keccak256(bytes(20, BigInt(index))),
      encodeAccountState(account),
    ]),
  )
  const items: UnverifiedItem[] = [...nodesOf(storage.nodes), ...nodesOf(state.nodes)]
  if (code !== undefined) items.push({ ref: { kind: 'code', hash: account.codeHash }, bytes: code })
  return { items, account, stateRoot: accounts === 0 ? emptyTrieRoot : state.root }
}

function reader(items: readonly UnverifiedItem[], stateRoot: Uint8Array, address: bigint) {
  const hash = new Uint8Array(32)
  const head = createFakeHead([{ network: 'dev', hash, number: 1n }])
  const network = createFakeNetwork({ head, obtain: createFakeObtain(items) })
  // The walk reads only the state root of the header.
  const block = { hash, bytes: new Uint8Array(0), header: { stateRoot } as Header }
  return { network, block, address: bytes(20, address) }
}

/** The same over items in memory. */
function holder(items: readonly UnverifiedItem[], stateRoot: Uint8Array, address: bigint) {
  const stored = new Map(items.map(({ ref, bytes: value }) => [refKey(ref), value]))
  const peek = (ref: ContentRef) => stored.get(refKey(ref)) ?? null
  const at = reader(items, stateRoot, address)
  const network = {
    ...at.network,
    peek,
    peekNode: (from: Uint8Array, start: number) =>
      peek({ kind: 'trie-node', hash: from.subarray(start, start + 32) }),
  }
  return { ...at, network }
}

test('every slot of any storage trie reads back, and every other slot is zero', async () => {
  const slot = fc.bigInt(0n, 2n ** 256n - 1n)
  const value = fc.bigInt(1n, 2n ** 256n - 1n)
  const slots = fc.uniqueArray(fc.tuple(slot, value), { maxLength: 40, selector: ([key]) => key })
  await fc.assert(
    fc.asyncProperty(slots, slot, async (pairs, other) => {
      const stored = new Map(pairs)
      const { items, stateRoot } = world(stored, 3)
      const at = reader(items, stateRoot, 1n)
      for (const key of [...stored.keys(), other]) {
        const read = await completeRead(readStorage(at, bytes(32, key)), signal)
        assert.equal(toHex(read), toHex(bytes(32, stored.get(key) ?? 0n)))
        assert.deepEqual(beginRead(readStorage(holder(items, stateRoot, 1n), bytes(32, key))), read)
      }
    }),
    { numRuns: 20 },
  )
})

test('an account reads back; an absent one is null, its slots zero and its code empty', async () => {
  const { items, account, stateRoot } = world(new Map([[1n, 2n]]), 50)
  assert.deepEqual(await completeRead(findAccount(reader(items, stateRoot, 49n)), signal), account)
  const absent = reader(items, stateRoot, 50n)
  assert.equal(await completeRead(findAccount(absent), signal), null)
  assert.deepEqual(
    await completeRead(readStorage(absent, bytes(32, 1n)), signal),
    new Uint8Array(32),
  )
  assert.deepEqual(await completeRead(readCode(absent), signal), new Uint8Array(0))
})

test('a state trie of one account, and one of none, are walked too', async () => {
  const one = world(new Map([[0n, 1n]]), 1)
  assert.deepEqual(
    await completeRead(findAccount(reader(one.items, one.stateRoot, 0n)), signal),
    one.account,
  )
  assert.equal(await completeRead(findAccount(reader(one.items, one.stateRoot, 1n)), signal), null)
  const none = world(new Map(), 0)
  assert.equal(await completeRead(findAccount(reader([], none.stateRoot, 0n)), signal), null)
})

test('code is read by the hash in the account', async () => {
  const code = Uint8Array.of(0x60, 0x00)
  const { items, stateRoot } = world(new Map(), 2, code)
  assert.deepEqual(await completeRead(readCode(reader(items, stateRoot, 1n)), signal), code)
})

test('a node or code that no source has causes no_state and is never reported as absent', async () => {
  const code = Uint8Array.of(0x60, 0x00)
  const { items, stateRoot } = world(new Map([[1n, 2n]]), 20, code)
  for (const [left] of items.entries()) {
    const at = reader(items.toSpliced(left, 1), stateRoot, 5n)
    const answers = await Promise.allSettled([
      completeRead(readStorage(at, bytes(32, 1n)), signal),
      completeRead(readCode(at), signal),
    ])
    const values = [toHex(bytes(32, 2n)), toHex(code)]
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') assert.equal(toHex(answer.value), values[index])
      else assert.equal(answer.reason.code, 'no_state')
    }
  }
})

test('state in memory is read without a promise; a missing node gives no answer, never an absence', () => {
  const code = Uint8Array.of(0x60, 0x00)
  const slots = new Map(Array.from({ length: 30 }, (_, slot) => [BigInt(slot), 2n]))
  const { items, stateRoot } = world(slots, 20, code)
  const storageOf = (at: AccountAt) => beginRead(readStorage(at, bytes(32, 1n)))
  assert.deepEqual(storageOf(holder(items, stateRoot, 5n)), bytes(32, 2n))
  assert.deepEqual(storageOf(holder(items, stateRoot, 99n)), bytes(32, 0n))
  assert.deepEqual(beginRead(readCode(holder(items, stateRoot, 5n))), code)
  let missed = 0
  for (const [left] of items.entries()) {
    const at = holder(items.toSpliced(left, 1), stateRoot, 5n)
    const [value, found] = [storageOf(at), beginRead(readCode(at))]
    assert.ok(value instanceof SuspendedRead || toHex(value) === toHex(bytes(32, 2n)))
    assert.ok(found instanceof SuspendedRead || toHex(found) === toHex(code))
    if (value instanceof SuspendedRead || found instanceof SuspendedRead) missed += 1
  }
  assert.ok(missed >= 5, `${missed} nodes were needed`)
})

test('a read that lacks a node continues from there, and fetches no node that memory holds', async () => {
  const slots = new Map(Array.from({ length: 30 }, (_, slot) => [BigInt(slot), 2n]))
  const { items, stateRoot } = world(slots, 20)
  let removed = 0
  for (const [left, lacking] of items.entries()) {
    const at = holder(items.toSpliced(left, 1), stateRoot, 5n)
    const requested: string[] = []
    const obtain: Network['obtain'] = async (ref) => {
      requested.push(refKey(ref))
      return lacking.bytes
    }
    const begun = beginRead(
      readStorage({ ...at, network: { ...at.network, obtain } }, bytes(32, 1n)),
    )
    if (!(begun instanceof SuspendedRead)) continue
    removed += 1
    assert.equal(toHex(await completeRead(begun, signal)), toHex(bytes(32, 2n)))
    assert.deepEqual(requested, [refKey(lacking.ref)])
  }
  assert.ok(removed >= 2, `${removed} nodes were lacking`)
})

test('an account that a walk has proved is not walked to again, under that state root and address only', () => {
  const { items, account, stateRoot } = world(new Map([[1n, 2n]]), 40)
  const accounts = createAccountMemory(64)
  const at = holder(items, stateRoot, 5n)
  let requestCount = 0
  const network = {
    ...at.network,
    accounts,
    peekNode: (from: Uint8Array, offset: number) => {
      requestCount += 1
      return at.network.peekNode(from, offset)
    },
  }
  const read = (address: bigint, root = stateRoot) => {
    const block = { ...at.block, header: { stateRoot: root } as Header }
    return beginRead(findAccount({ network, block, address: bytes(20, address) }))
  }
  assert.deepEqual(read(5n), account)
  assert.equal(read(99n), null)
  const walked = requestCount
  assert.deepEqual(read(5n), account)
  assert.equal(read(99n), null)
  assert.equal(requestCount, walked)
  assert.deepEqual(read(6n), account)
  assert.ok(requestCount > walked, 'another address is another account')
  assert.ok(read(5n, bytes(32, 1n)) instanceof SuspendedRead, 'and so is another state')
  for (let address = 100n; address < 300n; address++) read(address)
  const before = requestCount
  read(5n)
  assert.ok(requestCount > before, 'no more than 64 are remembered')
})

test('a completed read uses such an account too, and a recorded read walks anyway', async () => {
  const { items, account, stateRoot } = world(new Map([[1n, 2n]]), 40)
  const at = holder(items, stateRoot, 5n)
  let requestCount = 0
  const network = {
    ...at.network,
    accounts: createAccountMemory(64),
    peekNode: (from: Uint8Array, offset: number) => {
      requestCount += 1
      return at.network.peekNode(from, offset)
    },
  }
  const find = (of: Network, address: bigint) =>
    completeRead(findAccount({ ...at, network: of, address: bytes(20, address) }), signal)
  for (const _ of [1, 2]) {
    assert.deepEqual(await find(network, 5n), account)
    assert.equal(await find(network, 99n), null)
  }
  const walked = requestCount
  assert.deepEqual(await find(network, 5n), account)
  assert.equal(await find(network, 99n), null)
  assert.equal(requestCount, walked)
  const reads = recordReads(network)
  assert.deepEqual(await find(reads.network, 5n), account)
  const names = reads.pieces().map((piece) => toHex(keccak256(piece)))
  assert.ok(names.includes(toHex(stateRoot)))
})

test('an account whose walk lacks a node is not cached', () => {
  const { items, stateRoot } = world(new Map(), 40)
  const at = holder(items.slice(0, 1), stateRoot, 5n)
  const accounts = createAccountMemory(64)
  const begun = beginRead(findAccount({ ...at, network: { ...at.network, accounts } }))
  assert.ok(begun instanceof SuspendedRead)
  assert.equal(accounts.find(stateRoot, at.address), null)
})
