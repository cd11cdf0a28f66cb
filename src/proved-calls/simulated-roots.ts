// Computes state roots of simulated blocks from their changes and the trie nodes of proofs. Removing a key can require a sibling
// node that is not on the key's path. Proofs are requested by key, so that node is read with the proof of a neighbour: a key whose
// hash starts with the node's path (neighbour-keys.ts). If none is found, the root is `unprovable`.
// Tested by src/proved-calls/simulated-roots.test.ts, test/calls/proved-simulations.test.ts
import type { Account } from '@ethereumjs/util'
import { Fault } from '../base/fault.ts'
import { equalBytes, fromLatin1 } from '../base/hex.ts'
import type { AccessListEntry } from '../chain/computation.ts'
import {
  type AccountState,
  emptyTrieRoot,
  encodeAccountState,
} from '../codec/ethereum/account-state.ts'
import { encodeRlp } from '../codec/ethereum/rlp.ts'
import {
  KnownNodes,
  type TrieChange,
  UnknownNode,
  updateTrie,
} from '../codec/ethereum/trie-update.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import type { TimeSlice } from '../evm/time-slice.ts'
import type { ChangedStorage, RootOf } from './call-state.ts'
import { NeighbourKeys } from './neighbour-keys.ts'
import type { ProvedState } from './proved-state.ts'

/** Changes of an account's storage that `root` already includes. */
type AppliedStorage = {
  readonly root: Uint8Array
  readonly of: ChangedStorage
  readonly slots: ReadonlyMap<string, Uint8Array>
}

/** Trie changes between yields to other tasks. */
const changesPerSlice = 128
/** Limit per simulation, about 2 s. The results stay in the table for later simulations. */
const hashesMax = 2 ** 21
/** Hashes between yields to other tasks. */
const hashesPerSlice = 1_024

/** Shared by all simulations of a thread, created at the first search: 4 MiB each. */
let neighbours: { readonly accounts: NeighbourKeys; readonly slots: NeighbourKeys } | null = null

/** `stateRoot`: root before all changes. Each call continues from the root that the previous call returned. */
export function createSimulatedRoots(
  state: ProvedState,
  stateRoot: Uint8Array,
  slice: TimeSlice,
): RootOf {
  const nodes = new KnownNodes()
  const fetched = new Set<string>()
  const applied = new Map<string, AppliedStorage>()
  let appliedAccounts = new Map<string, Account | undefined>()
  let root = stateRoot
  let hashesLeft = hashesMax

  /** Reads a missing node of the storage trie of `address`; null: of the account trie. Throws `unprovable`. */
  async function readNeighbour(address: Uint8Array | null, unknown: UnknownNode): Promise<void> {
    const { path, hash } = unknown
    if (!NeighbourKeys.canSearch(path)) throw noRoot(unknown)
    neighbours ??= { accounts: new NeighbourKeys(20), slots: new NeighbourKeys(32) }
    const keys = address === null ? neighbours.accounts : neighbours.slots
    let key = keys.find(path)
    while (key === null) {
      if (hashesLeft <= 0) throw noRoot(unknown)
      hashesLeft -= hashesPerSlice
      keys.search(hashesPerSlice)
      await slice.yieldIfDue()
      key = keys.find(path)
    }
    const neighbourPath = address === null ? pathTo(key) : pathTo(address, [key])
    for (const node of await state.nodes([neighbourPath])) nodes.add(node)
    if (!nodes.has(hash)) throw noRoot(unknown)
  }

  /** Updates the storage trie of `address`; null: the account trie. */
  async function update(
    from: Uint8Array,
    changes: readonly TrieChange[],
    address: Uint8Array | null,
  ): Promise<Uint8Array> {
    // Insert before removing: an inserted key can keep a branch from being merged, which needs no sibling node then.
    const ordered = changes.toSorted((a, b) => Number(a.value === null) - Number(b.value === null))
    let at = from
    let first = 0
    while (first < ordered.length) {
      await slice.yieldIfDue()
      try {
        at = updateTrie(at, ordered.slice(first, first + changesPerSlice), nodes)
        first += changesPerSlice
      } catch (thrown) {
        if (!(thrown instanceof UnknownNode)) throw thrown
        await readNeighbour(address, thrown)
      }
    }
    return at
  }

  /** Reads the nodes on the paths to all changed keys. */
  async function fetch(changed: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const paths: AccessListEntry[] = []
    for (const [name, positions] of changed) {
      const newPositions = positions.filter((position) => !fetched.has(name + position))
      if (newPositions.length === 0 && fetched.has(name)) continue
      fetched.add(name)
      for (const position of newPositions) fetched.add(name + position)
      paths.push(pathTo(fromLatin1(name), newPositions.map(fromLatin1)))
    }
    if (paths.length === 0) return
    for (const node of await state.nodes(paths)) nodes.add(node)
  }

  /** New storage root of an account with changed slots; `proved`: the account in the proved state. */
  async function storageRoot(
    name: string,
    storage: ChangedStorage,
    proved: AccountState | null,
  ): Promise<Uint8Array> {
    const last = applied.get(name)
    const current = last?.of === storage ? last : undefined
    const changes = changedSlots(storage, current).map(([position, value]) => ({
      key: keccak256(fromLatin1(position)),
      value: value.length === 0 ? null : encodeRlp(value),
    }))
    const initialRoot = proved === null || storage.isCleared ? emptyTrieRoot : proved.storageRoot
    const updated = await update(current?.root ?? initialRoot, changes, fromLatin1(name))
    applied.set(name, { root: updated, of: storage, slots: new Map(storage.slots) })
    return updated
  }

  return async ({ accounts, storages }) => {
    const changed = new Map<string, readonly string[]>()
    for (const [name, account] of accounts) {
      if (!appliedAccounts.has(name) || appliedAccounts.get(name) !== account) changed.set(name, [])
    }
    for (const [name, storage] of storages) {
      const last = applied.get(name)
      const slots = changedSlots(storage, last?.of === storage ? last : undefined)
      if (last?.of === storage && slots.length === 0) continue
      // A cleared storage starts from the empty trie, so no nodes of the proved one are needed.
      changed.set(name, storage.isCleared ? [] : slots.map(([position]) => position))
    }
    await fetch(changed)
    const leaves: TrieChange[] = []
    for (const name of changed.keys()) {
      const address = fromLatin1(name)
      const proved = await state.account(address)
      const account = accounts.has(name) ? accounts.get(name) : (proved ?? undefined)
      const key = keccak256(address)
      if (account === undefined) {
        leaves.push({ key, value: null })
        continue
      }
      const { nonce, balance, codeHash } = account
      const storage = storages.get(name)
      const slots =
        storage === undefined ? account.storageRoot : await storageRoot(name, storage, proved)
      const value = encodeAccountState({ nonce, balance, codeHash, storageRoot: slots })
      leaves.push({ key, value })
    }
    root = await update(root, leaves, null)
    appliedAccounts = new Map(accounts)
    return root
  }
}

function pathTo(address: Uint8Array, storageKeys: readonly Uint8Array[] = []): AccessListEntry {
  return { address, storageKeys }
}

/** Slots that differ from those already included in the root. */
function changedSlots(
  storage: ChangedStorage,
  last: AppliedStorage | undefined,
): readonly (readonly [position: string, value: Uint8Array])[] {
  return [...storage.slots].filter(([position, value]) => {
    const previous = last?.slots.get(position)
    return previous === undefined || !equalBytes(previous, value)
  })
}

function noRoot(cause: UnknownNode): Fault {
  const detail = 'the state root of the simulated block needs a node that no proof brings'
  return new Fault('unprovable', { detail, cause })
}
