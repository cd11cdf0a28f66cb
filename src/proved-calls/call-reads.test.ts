import assert from 'node:assert/strict'
import test from 'node:test'
import {
  createFakeHead,
  createFakeNetwork,
  createFakeObtain,
} from '../../test/fakes/upstream/network.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { Fault } from '../base/fault.ts'
import { createAccountMemory, type ProvedHeader } from '../chain/proved-memory.ts'
import { emptyCodeHash, encodeAccountState } from '../codec/ethereum/account-state.ts'
import type { Header } from '../codec/ethereum/header.ts'
import { encodeInteger, encodeRlp } from '../codec/ethereum/rlp.ts'
import { buildTrie } from '../codec/ethereum/trie-build.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import type { ContentRef } from '../content/ref.ts'
import { type CallReadParts, createCallReads } from './call-reads.ts'
import { noCodes } from './code-memory.ts'
import { createProofRate } from './proof-rate.ts'

const address = new Uint8Array(20).fill(7)
const [first, second] = [1, 2].map((slot) => new Uint8Array(32).fill(slot, 31)) as [
  Uint8Array,
  Uint8Array,
]
const want = { kind: 'account', address } as const

/** Reads of a call to a contract with two slots; `requested`: what was fetched. */
function startReads(part: Partial<CallReadParts> = {}) {
  const storage = buildTrie(
    [first, second].map((slot) => [keccak256(slot), encodeRlp(encodeInteger(5n))]),
  )
  const account = {
    nonce: 1n,
    balance: 0n,
    storageRoot: storage.root,
    codeHash: emptyCodeHash,
  }
  const state = buildTrie([[keccak256(address), encodeAccountState(account)]])
  const items = [...storage.nodes, ...state.nodes].map((bytes) => ({
    ref: { kind: 'trie-node', hash: keccak256(bytes) } as const,
    bytes,
  }))
  const requested: ContentRef[] = []
  const hash = new Uint8Array(32)
  const network = createFakeNetwork({
    head: createFakeHead([{ network: 'dev', hash, number: 1n }]),
    obtain: createFakeObtain(items, requested),
    accounts: createAccountMemory(64),
  })
  const header = { stateRoot: state.root, miner: address } as Header
  const block: ProvedHeader = { hash, bytes: new Uint8Array(0), header }
  const parts: CallReadParts = {
    network,
    block,
    request: { from: address, to: address },
    hint: () => Promise.resolve(null),
    codes: noCodes,
    admit: () => null,
    signal: new AbortController().signal,
    ...part,
  }
  return { answer: createCallReads(parts), requested, again: () => createCallReads(parts) }
}

test('an expected account comes with its slots, at the first need', async () => {
  const { answer } = startReads()
  const { values, failure } = await answer({
    missing: want,
    expected: [{ address, storageKeys: [first, second] }],
  })
  assert.equal(failure, null)
  assert.deepEqual(
    values.map(({ kind }) => kind),
    ['account', 'slot', 'slot'],
  )
})

test('an account and its slots are paid for before they are fetched, and values in memory are not', async () => {
  const paid: number[] = []
  const { answer, again } = startReads({
    admit(proofs) {
      paid.push(proofs)
      return null
    },
  })
  await answer({ missing: want, expected: [{ address, storageKeys: [] }] })
  assert.deepEqual(paid, [1])
  await again()({ missing: want, expected: [{ address, storageKeys: [] }] })
  assert.deepEqual(paid, [1])
})

test('a call beyond the rate fetches nothing until the rate allows it', async () => {
  const clock = createManualClock()
  const rate = createProofRate(clock, { perSecond: 1, burst: 2 })
  const { signal } = new AbortController()
  const { answer, requested } = startReads({
    admit: (proofs) => rate.acquire('one', proofs, signal),
  })
  const reply = answer({ missing: want, expected: [{ address, storageKeys: [first, second] }] })
  await Promise.resolve()
  assert.deepEqual([requested.length, clock.timers], [0, 1])
  clock.advance(1_000)
  // Slots whose nodes did not come with the account wait once more.
  while (clock.timers > 0 || requested.length === 0) {
    clock.advance(1_000)
    await new Promise(setImmediate)
  }
  assert.equal((await reply).failure, null)
})

test('a call beyond the rate waits until its deadline', async () => {
  const clock = createManualClock()
  const rate = createProofRate(clock, { perSecond: 1, burst: 1 })
  const deadline = new AbortController()
  const { signal } = deadline
  const { answer, requested } = startReads({
    signal,
    admit: (proofs) => rate.acquire('one', proofs, signal),
  })
  const reply = answer({ missing: want, expected: [{ address, storageKeys: [first, second] }] })
  deadline.abort(new Fault('deadline'))
  const { failure } = await reply
  assert.equal(failure?.kind === 'fault' && failure.code, 'deadline')
  assert.deepEqual(requested, [])
})
