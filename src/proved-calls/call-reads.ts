// Fetches and proves the state that one call reads. To save round trips, it prefetches at the first miss: the reads predicted
// from earlier calls, and if these lack the value, the access list of an upstream. Neither has to be right: every value is proved,
// and a value missing from both is fetched when the call reads it.
// Tested by src/proved-calls/call-reads.test.ts
import { equalBytes, toHex, toLatin1 } from '../base/hex.ts'
import type { AccessListEntry, CallRequest } from '../chain/computation.ts'
import type { Network } from '../chain/network.ts'
import type { ProvedHeader } from '../chain/proved-memory.ts'
import { beginRead, completeRead, type Read, SuspendedRead } from '../chain/read.ts'
import { type AccountAt, findAccount, readCode, readStorage } from '../chain/state.ts'
import { emptyCodeHash } from '../codec/ethereum/account-state.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { packFailure } from '../evm/threads/packed-failure.ts'
import { findHash } from '../chain/upstream/head/find-hash.ts'
import { readNodes } from './read-nodes.ts'
import type { ProvedValue, ValueReply, ValueRequest, MissingValue } from './proved-task.ts'

export type CallReadParts = {
  readonly network: Network
  readonly block: ProvedHeader
  readonly request: CallRequest
  /** Other accounts and slots that the call certainly reads. */
  readonly certain?: readonly AccessListEntry[]
  /** Accounts and slots that the call will access; null: unknown. Never rejects. */
  readonly hint: (signal: AbortSignal) => Promise<readonly AccessListEntry[] | null>
  readonly codes: CodeSource
  /** Called before `proofs` proofs are fetched. Null: fetch immediately; otherwise fetch when it resolves. */
  readonly admit: (proofs: number) => Promise<void> | null
  readonly signal: AbortSignal
}

export type CodeSource = {
  /** True if the thread is known to have the code of this account. */
  hasCode(address: Uint8Array): boolean
  /** Records that the thread receives this code. `codeHash`: the proved one of the account. */
  note(address: Uint8Array, codeHash: Uint8Array): void
  /** Unverified code from an upstream; null: unknown. Never rejects. */
  fetch(address: Uint8Array, signal: AbortSignal): Promise<Uint8Array | null>
}

/** Limits of one hint. The call itself may read more. */
const hintAccountsMax = 512
const hintSlotsMax = 2_048

export function createCallReads(
  parts: CallReadParts,
): (request: ValueRequest) => Promise<ValueReply> {
  const { network, block, request, certain = [], signal } = parts
  const { stateRoot } = block.header
  /** Values for the next reply. */
  let values: ProvedValue[] = []
  let hasReadExpected = false
  let prefetched: Promise<void> | null = null
  const earlyAddresses = earlyAccounts(block, request)
  /** Unverified code by address, to be checked against the proved code hash of the account. */
  const codes = new Map<string, Promise<Uint8Array | null>>()

  const at = (address: Uint8Array): AccountAt => ({ network, block, address })

  function fetchCode(address: Uint8Array): void {
    const name = toLatin1(address)
    if (codes.has(name) || parts.codes.hasCode(address)) return
    codes.set(name, parts.codes.fetch(address, signal))
  }

  /** `proofs`: how many the read fetches if the cache has none of them. */
  async function complete<T>(read: Read<T>, proofs: number): Promise<T> {
    const started = beginRead(read)
    if (!(started instanceof SuspendedRead)) return started
    signal.throwIfAborted()
    // Do not await null: reads that start in the same microtask are sent in one batch.
    const admission = parts.admit(proofs)
    if (admission !== null) await admission
    return await completeRead(started, signal)
  }

  async function readAccount(address: Uint8Array, slots: readonly Uint8Array[]) {
    const account = await complete(findAccount(at(address), slots), 1 + slots.length)
    values.push({ kind: 'account', stateRoot, address, account })
    if (account === null) parts.codes.note(address, emptyCodeHash)
    return account
  }

  async function readSlot(address: Uint8Array, position: Uint8Array, storageRoot: Uint8Array) {
    const value = await complete(readStorage(at(address), position), 1)
    values.push({ kind: 'slot', storageRoot, position, value })
  }

  async function readCodeOf(address: Uint8Array, codeHash: Uint8Array) {
    const claimed = (await codes.get(toLatin1(address))) ?? null
    const isValid = claimed !== null && equalBytes(keccak256(claimed), codeHash)
    const code = isValid ? claimed : await completeRead(readCode(at(address)), signal)
    values.push({ kind: 'code', codeHash, code })
    parts.codes.note(address, codeHash)
  }

  /** Reads an account with its code and these slots. */
  async function readAll({ address, storageKeys }: AccessListEntry): Promise<void> {
    const hasCode = parts.codes.hasCode(address)
    fetchCode(address)
    const account = await readAccount(address, storageKeys)
    if (account === null) return
    const { codeHash, storageRoot } = account
    const reads = storageKeys.map((position) => readSlot(address, position, storageRoot))
    if (equalBytes(codeHash, emptyCodeHash)) parts.codes.note(address, codeHash)
    else if (!hasCode) reads.push(readCodeOf(address, codeHash))
    await Promise.all(reads)
  }

  /** Ignores failures: the call meets them again if it reads the value. */
  async function readExpected(expected: readonly AccessListEntry[]): Promise<void> {
    hasReadExpected = true
    await Promise.allSettled(bounded(expected).map(readAll))
  }

  async function prefetch(): Promise<void> {
    const first = Promise.allSettled(
      earlyAddresses.map((address) => readAll({ address, storageKeys: [] })),
    )
    const second = Promise.allSettled(bounded(certain).map(readAll))
    const hint = bounded((await parts.hint(signal)) ?? [])
    await Promise.allSettled([first, second, ...hint.map(readAll)])
  }

  async function fetchMissing(missing: MissingValue): Promise<void> {
    switch (missing.kind) {
      case 'account':
        return void (await readAccount(missing.address, []))
      case 'slot':
        return await readSlot(missing.address, missing.position, missing.storageRoot)
      case 'code':
        return await readCodeOf(missing.address, missing.codeHash)
      case 'hash': {
        const { number } = missing
        values.push({ kind: 'hash', number, hash: await findHash(network, block, number, signal) })
        return
      }
      case 'nodes':
        values.push({ kind: 'nodes', nodes: await readNodes(parts, missing.paths, complete) })
    }
  }

  return async ({ missing, expected }) => {
    const isResolved = () => values.some((one) => isValueOf(one, missing))
    let failure: ValueReply['failure'] = null
    try {
      if (expected !== null && !hasReadExpected) await readExpected(expected)
      // Trie nodes belong to values that were read before, so no prefetch is needed.
      if (!isResolved() && missing.kind !== 'nodes') await (prefetched ??= prefetch())
      if (!isResolved()) await fetchMissing(missing)
    } catch (error) {
      failure = packFailure(error)
    }
    const reply = { values, failure }
    values = []
    return reply
  }
}

/** The accounts that upstreams leave out of access lists: sender, recipient, and the block's coinbase. */
function earlyAccounts({ header }: ProvedHeader, { from, to }: CallRequest): readonly Uint8Array[] {
  const addresses = [from ?? new Uint8Array(20), header.miner, ...(to === undefined ? [] : [to])]
  return [...new Map(addresses.map((address) => [toHex(address), address])).values()]
}

function bounded(hint: readonly AccessListEntry[]): readonly AccessListEntry[] {
  let slots = 0
  return hint.slice(0, hintAccountsMax).map(({ address, storageKeys }) => {
    const keys = storageKeys.slice(0, hintSlotsMax - slots)
    slots += keys.length
    return { address, storageKeys: keys }
  })
}

function isValueOf(value: ProvedValue, missing: MissingValue): boolean {
  if (value.kind === 'account' && missing.kind === 'account') {
    return equalBytes(value.address, missing.address)
  }
  if (value.kind === 'slot' && missing.kind === 'slot') {
    return (
      equalBytes(value.position, missing.position) &&
      equalBytes(value.storageRoot, missing.storageRoot)
    )
  }
  if (value.kind === 'code' && missing.kind === 'code') {
    return equalBytes(value.codeHash, missing.codeHash)
  }
  return false
}
