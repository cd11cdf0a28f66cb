// Limits of reads from the forked network: reads fail at each limit, and later reads are served.
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import {
  emptyCodeHash,
  emptyTrieRoot,
  encodeAccountState,
} from '../../codec/ethereum/account-state.ts'
import { buildTrie } from '../../codec/ethereum/trie-build.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import type { Network } from '../../chain/network.ts'
import { createMemoryStore } from '../../content/memory-store.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { createStateNetwork } from '../../../test/fakes/upstream/state-network.ts'
import { createForkLoader } from './fork-loader.ts'
import type { ForkRead } from './fork-reads.ts'

const address = fromHex(`0x${'aa'.repeat(20)}`)
const { root: stateRoot, nodes } = buildTrie([
  [
    keccak256(address),
    encodeAccountState({
      nonce: 1n,
      balance: 5n,
      storageRoot: emptyTrieRoot,
      codeHash: emptyCodeHash,
    }),
  ],
])
const account: ForkRead = { kind: 'account', block: null, address }

/** `begun`: reads that query the network. While `isStuck` they get no reply. */
function stuckNetwork() {
  const network = createStateNetwork({ root: stateRoot, nodes, header: { number: 9n } })
  const state = { isStuck: true, begun: 0 }
  const stuck: Network = {
    ...network,
    peek: () => null,
    peekNode: () => null,
    async obtain(ref, context, signal) {
      if (!state.isStuck) return await network.obtain(ref, context, signal)
      state.begun += 1
      return await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      })
    },
  }
  const { hash } = network.head.latest()
  return {
    network: stuck,
    state,
    point: { source: 'main', block: '9', number: 9n, hash, stateRoot },
  }
}

test('64 reads query the network, 1,024 wait, and one more is refused', async () => {
  const { network, state, point } = stuckNetwork()
  const clock = createManualClock()
  const loader = createForkLoader({
    point,
    source: () => network,
    store: createMemoryStore(),
    clock,
  })
  const reads = Array.from({ length: 64 + 1_024 }, () => loader.load(account))
  const ended = Promise.allSettled(reads)
  await rejects(loader.load(account), /cannot read account 0xaa.* at block 9: overloaded/)
  equal(state.begun, 64)
  loader.close()
  const reasons = (await ended).map((one) => (one.status === 'rejected' ? one.reason.code : null))
  deepEqual(new Set(reasons), new Set(['shutting_down']))
  await rejects(loader.load(account), /shutting down/)
})

test('a fetch ends after 30 s and a read that waits after 60 s, and later reads are served', async () => {
  const { network, state, point } = stuckNetwork()
  const clock = createManualClock()
  const store = createMemoryStore()
  const loader = createForkLoader({ point, source: () => network, store, clock })
  const codeOf = (read: Promise<unknown>) =>
    read.then(
      () => 'read',
      (error: unknown) => `${(error as { code: string }).code} ${clock.monotonic() / 1_000} s`,
    )
  // Three rounds of 64: the timeout of the third round expires before it begins.
  const outcomes = Array.from({ length: 3 * 64 }, () => codeOf(loader.load(account)))
  for (let second = 0; second < 61; second += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(1_000)
  }
  const counts = Map.groupBy(await Promise.all(outcomes), (outcome) => outcome)
  deepEqual(
    [...counts].map(([outcome, all]) => [outcome, all.length]),
    [
      ['deadline 30 s', 64],
      ['deadline 60 s', 128],
    ],
  )
  equal(state.begun >= 128, true)
  state.isStuck = false
  equal(await loader.load(account), null)
  for (const node of nodes) {
    deepEqual(await store.get({ kind: 'trie-node', hash: keccak256(node) }), node)
  }
})

test('a network that the settings do not name any more is named in the error', async () => {
  const { point } = stuckNetwork()
  const loader = createForkLoader({
    point,
    source: () => null,
    store: createMemoryStore(),
    clock: systemClock,
  })
  const slot: ForkRead = { kind: 'slot', block: null, address, position: new Uint8Array(32) }
  await rejects(loader.load(slot), {
    code: 'no_upstream',
    message: `cannot read slot ${toHex(new Uint8Array(32))} of account ${toHex(address)} of main for the fork at block 9: the settings name no network main`,
  })
})
