// The root of changed state is that of the trie which is built from all its accounts.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount, createAddressFromString } from '@ethereumjs/util'
import { fromHex, toHex } from '../base/hex.ts'
import { systemClock } from '../base/clock.ts'
import {
  type AccountState,
  emptyCodeHash,
  encodeAccountState,
} from '../codec/ethereum/account-state.ts'
import { encodeInteger, encodeRlp } from '../codec/ethereum/rlp.ts'
import { buildTrie } from '../codec/ethereum/trie-build.ts'
import { walkProof } from '../codec/ethereum/trie-walk.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { defaultTimeSliceLimits, TimeSlices } from '../evm/time-slice.ts'
import { CallState } from './call-state.ts'
import type { ProvedState } from './proved-state.ts'
import { createSimulatedRoots } from './simulated-roots.ts'

const word = (value: number) => fromHex(value.toString(16).padStart(64, '0'))
const addressOf = (value: number) => fromHex((0x1000 + value).toString(16).padStart(40, '0'))
const named = (value: number) => createAddressFromString(toHex(addressOf(value)))

/** Values of slots by account: each has a nonce of 1. */
type Plain = ReadonlyMap<number, ReadonlyMap<number, number>>

function plain(accounts: number, slots: readonly number[]): Plain {
  const own = new Map(slots.map((slot) => [slot, slot + 1]))
  return new Map(Array.from({ length: accounts }, (_, at) => [at, own]))
}

function tries(state: Plain) {
  const nodes = new Map<string, Uint8Array>()
  const build = (pairs: Iterable<readonly [Uint8Array, Uint8Array]>) => {
    const built = buildTrie(pairs)
    for (const node of built.nodes) nodes.set(toHex(keccak256(node)), node)
    return built.root
  }
  const accounts = new Map<string, AccountState>()
  for (const [at, slots] of state) {
    const storageRoot = build(
      [...slots].map(([slot, value]) => [
        keccak256(word(slot)),
        encodeRlp(encodeInteger(BigInt(value))),
      ]),
    )
    accounts.set(toHex(addressOf(at)), {
      nonce: 1n,
      balance: 0n,
      storageRoot,
      codeHash: emptyCodeHash,
    })
  }
  const root = build(
    [...accounts].map(([name, account]) => [keccak256(fromHex(name)), encodeAccountState(account)]),
  )
  return { root, nodes, accounts }
}

/** The nodes that a proof of these keys has, and no others; `fetched` counts them. */
function provedState(
  { root, nodes, accounts }: ReturnType<typeof tries>,
  fetched: { paths: number } = { paths: 0 },
): ProvedState {
  const unread = () => Promise.reject(new Error('not read here'))
  return {
    account: (address) => accounts.get(toHex(address)) ?? null,
    slot: unread,
    code: unread,
    hashOf: unread,
    async nodes(paths) {
      const passed: Uint8Array[] = []
      const walk = (from: Uint8Array, key: Uint8Array) =>
        walkProof(from, keccak256(key), (hash) => {
          const node = nodes.get(toHex(hash)) ?? null
          if (node !== null) passed.push(node)
          return node
        })
      for (const { address, storageKeys } of paths) {
        fetched.paths += 1 + storageKeys.length
        walk(root, address)
        const storageRoot = accounts.get(toHex(address))?.storageRoot
        if (storageRoot !== undefined) for (const key of storageKeys) walk(storageRoot, key)
      }
      return passed
    },
  }
}

/** A busy machine takes longer than a call may. */
const unhurried = { ...defaultTimeSliceLimits, runMs: 600_000, spanMs: 600_000 }

async function withState<T>(
  proved: ProvedState,
  root: Uint8Array,
  run: (state: CallState) => Promise<T>,
) {
  return await new TimeSlices(systemClock, unhurried).run(
    (turn) => run(new CallState(proved, createSimulatedRoots(proved, root, turn))),
    new AbortController().signal,
  )
}

const slots = Array.from({ length: 60 }, (_, at) => at)

test('slots and accounts that are removed one after the other leave the root of what is left', async () => {
  const before = plain(40, slots)
  const built = tries(before)
  const left = new Map(before)
  await withState(provedState(built), built.root, async (state) => {
    for (let at = 0; at < 39; at += 1) {
      await state.deleteAccount(named(at))
      left.delete(at)
      deepEqual(await state.getStateRoot(), tries(left).root)
    }
    const rest = new Map(before.get(39))
    for (const slot of slots) {
      await state.putStorage(named(39), word(slot), new Uint8Array(0))
      rest.delete(slot)
      deepEqual(await state.getStateRoot(), tries(new Map([[39, rest]])).root)
    }
  })
})

test('accounts and slots that are added, changed, and taken back are in the root as they are at the end', async () => {
  const before = plain(20, slots.slice(0, 10))
  const built = tries(before)
  await withState(provedState(built), built.root, async (state) => {
    const unchanged = await state.getStateRoot()
    deepEqual(unchanged, built.root)
    await state.checkpoint()
    await state.putStorage(named(3), word(77), word(5))
    await state.putAccount(named(99), createAccount({ nonce: 1n }))
    await state.revert()
    deepEqual(await state.getStateRoot(), built.root)
    await state.putStorage(named(3), word(77), word(5))
    await state.putAccount(named(99), createAccount({ nonce: 1n }))
    await state.clearStorage(named(4))
    await state.putStorage(named(4), word(1), word(6))
    const after = new Map(before)
      .set(3, new Map(before.get(3)).set(77, 5))
      .set(4, new Map([[1, 6]]))
      .set(99, new Map())
    deepEqual(await state.getStateRoot(), tries(after).root)
    await state.putStorage(named(3), word(77), new Uint8Array(0))
    await state.deleteAccount(named(99))
    after.set(3, before.get(3) ?? new Map()).delete(99)
    deepEqual(await state.getStateRoot(), tries(after).root)
  })
})

test('a root that did not change fetches nothing', async () => {
  const built = tries(plain(20, []))
  const fetched = { paths: 0 }
  await withState(provedState(built, fetched), built.root, async (state) => {
    await state.putAccount(named(2), createAccount({ nonce: 5n }))
    await state.getStateRoot()
    const before = fetched.paths
    ok(before > 0)
    await state.getStateRoot()
    equal(fetched.paths, before)
  })
})

test('without a neighbour in reach, or with nodes that do not contain it, there is no root', async () => {
  // Their hashes begin with the same 7 nibbles.
  const twins = tries(plain(2, [21_471, 23_527]))
  const nearby = tries(plain(2, [0, 2, 3, 5]))
  const proved = provedState(nearby)
  const withheld: ProvedState = {
    ...proved,
    nodes: async (paths) => (await proved.nodes(paths)).filter((node) => node.length > 100),
  }
  for (const [state, root, slot] of [
    [provedState(twins), twins.root, 21_471],
    [withheld, nearby.root, 0],
  ] as const) {
    const removal = withState(state, root, async (changed) => {
      for (const at of slot === 0 ? [0, 2, 3] : [slot]) {
        await changed.putStorage(named(0), word(at), new Uint8Array(0))
      }
      return await changed.getStateRoot()
    })
    await rejects(
      removal,
      /the state root of the simulated block needs a node that no proof brings/,
    )
  }
})
