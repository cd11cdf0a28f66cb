// Gets the values that one proved call lacks. At the first miss it fetches and proves all that earlier calls let expect; without
// that, or at the next miss, what an upstream states that the call will touch: round trips are the cost of a call. Neither
// is believed: what they leave out, the call asks for.
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
import type { Found, Given, Need, Want } from './proved-task.ts'

export type CallReadParts = {
  readonly network: Network
  readonly block: ProvedHeader
  readonly request: CallRequest
  /** What it will touch for certain beside that. */
  readonly certain?: readonly AccessListEntry[]
  /** What the call will touch; null: not known. Never rejects. */
  readonly hint: (signal: AbortSignal) => Promise<readonly AccessListEntry[] | null>
  readonly codes: CodeSource
  /** Before so many proofs are fetched; null: at once. */
  readonly pay: (proofs: number) => Promise<void> | null
  readonly signal: AbortSignal
}

export type CodeSource = {
  /** Whether the thread needs no code of this account, as far as is known. */
  hasCode(address: Uint8Array): boolean
  /** `codeHash`: proved, of the account. The thread gets that code. */
  note(address: Uint8Array, codeHash: Uint8Array): void
  /** As an upstream states it; null: not known. Never rejects. */
  fetch(address: Uint8Array, signal: AbortSignal): Promise<Uint8Array | null>
}

/** Of a hint. The call itself may read more. */
const hintAccountsMax = 512
const hintSlotsMax = 2_048

export function createCallReads(parts: CallReadParts): (need: Need) => Promise<Given> {
  const { network, block, request, certain = [], signal } = parts
  const { stateRoot } = block.header
  /** Read, and not given to the call yet. */
  let found: Found[] = []
  let hasExpected = false
  let prefetched: Promise<void> | null = null
  const early = earlyAccounts(block, request)
  /** Stated by upstreams, by address; checked against the proved hash of the account. */
  const codes = new Map<string, Promise<Uint8Array | null>>()

  const at = (address: Uint8Array): AccountAt => ({ network, block, address })

  function fetchCode(address: Uint8Array): void {
    const name = toLatin1(address)
    if (codes.has(name) || parts.codes.hasCode(address)) return
    codes.set(name, parts.codes.fetch(address, signal))
  }

  /** `proofs`: how many are fetched if memory does not hold them. */
  async function complete<T>(read: Read<T>, proofs: number): Promise<T> {
    const begun = beginRead(read)
    if (!(begun instanceof SuspendedRead)) return begun
    signal.throwIfAborted()
    // Without a wait the reads of one turn are sent together.
    const paid = parts.pay(proofs)
    if (paid !== null) await paid
    return await completeRead(begun, signal)
  }

  async function readAccount(address: Uint8Array, slots: readonly Uint8Array[]) {
    const account = await complete(findAccount(at(address), slots), 1 + slots.length)
    found.push({ kind: 'account', stateRoot, address, account })
    if (account === null) parts.codes.note(address, emptyCodeHash)
    return account
  }

  async function readSlot(address: Uint8Array, position: Uint8Array, storageRoot: Uint8Array) {
    const value = await complete(readStorage(at(address), position), 1)
    found.push({ kind: 'slot', storageRoot, position, value })
  }

  async function readCodeOf(address: Uint8Array, codeHash: Uint8Array) {
    const stated = (await codes.get(toLatin1(address))) ?? null
    const isRight = stated !== null && equalBytes(keccak256(stated), codeHash)
    const code = isRight ? stated : await completeRead(readCode(at(address)), signal)
    found.push({ kind: 'code', codeHash, code })
    parts.codes.note(address, codeHash)
  }

  /** An account with its code and these slots. */
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

  /** What cannot be read is found when the call asks for it. */
  async function readExpected(expected: readonly AccessListEntry[]): Promise<void> {
    hasExpected = true
    await Promise.allSettled(bounded(expected).map(readAll))
  }

  async function prefetch(): Promise<void> {
    const first = Promise.allSettled(early.map((address) => readAll({ address, storageKeys: [] })))
    const second = Promise.allSettled(bounded(certain).map(readAll))
    const hint = bounded((await parts.hint(signal)) ?? [])
    await Promise.allSettled([first, second, ...hint.map(readAll)])
  }

  async function read(want: Want): Promise<void> {
    switch (want.kind) {
      case 'account':
        return void (await readAccount(want.address, []))
      case 'slot':
        return await readSlot(want.address, want.position, want.storageRoot)
      case 'code':
        return await readCodeOf(want.address, want.codeHash)
      case 'hash': {
        const { number } = want
        found.push({ kind: 'hash', number, hash: await findHash(network, block, number, signal) })
        return
      }
      case 'nodes':
        found.push({ kind: 'nodes', nodes: await readNodes(parts, want.paths, complete) })
    }
  }

  return async ({ want, expected }) => {
    const isFound = () => found.some((one) => isAnswer(one, want))
    let failure: Given['failure'] = null
    try {
      if (expected !== null && !hasExpected) await readExpected(expected)
      // Nodes are those of values that were read before.
      if (!isFound() && want.kind !== 'nodes') await (prefetched ??= prefetch())
      if (!isFound()) await read(want)
    } catch (error) {
      failure = packFailure(error)
    }
    const given = { found, failure }
    found = []
    return given
  }
}

/** The accounts that upstreams leave out of access lists: sender, recipient, and the block's coinbase. */
function earlyAccounts({ header }: ProvedHeader, { from, to }: CallRequest): readonly Uint8Array[] {
  const named = [from ?? new Uint8Array(20), header.miner, ...(to === undefined ? [] : [to])]
  return [...new Map(named.map((address) => [toHex(address), address])).values()]
}

function bounded(hint: readonly AccessListEntry[]): readonly AccessListEntry[] {
  let slots = 0
  return hint.slice(0, hintAccountsMax).map(({ address, storageKeys }) => {
    const kept = storageKeys.slice(0, hintSlotsMax - slots)
    slots += kept.length
    return { address, storageKeys: kept }
  })
}

function isAnswer(found: Found, want: Want): boolean {
  if (found.kind === 'account' && want.kind === 'account') {
    return equalBytes(found.address, want.address)
  }
  if (found.kind === 'slot' && want.kind === 'slot') {
    return (
      equalBytes(found.position, want.position) && equalBytes(found.storageRoot, want.storageRoot)
    )
  }
  if (found.kind === 'code' && want.kind === 'code') {
    return equalBytes(found.codeHash, want.codeHash)
  }
  return false
}
