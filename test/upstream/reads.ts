// Many different reads of the recorded chain, each with its honest answer, for tests of failures and false replies.
import { toHex, toQuantity } from '../../src/base/hex.ts'
import { testChain } from '../fakes/chain-facts.ts'
import type { StubBlock, StubChain } from '../fakes/upstream/stub-chain.ts'
import type { StubUpstream } from '../fakes/upstream/stub-upstream.ts'

export type Read = {
  readonly method: string
  readonly params: readonly unknown[]
  /** The same call with the block as an upstream parameter. */
  readonly upstream: readonly [method: string, params: readonly unknown[]]
}

export const { emitter } = testChain
const { sender, emitterSlots } = testChain
const beaconRoots = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
const absent = `0x${'11'.repeat(20)}`

export function slotOf(position: bigint): string {
  return `0x${position.toString(16).padStart(64, '0')}`
}

function same(method: string, params: readonly unknown[]): Read {
  return { method, params, upstream: [method, params] }
}

/** Reads of one block by its hash, each of a different kind. */
export function readsOf(block: StubBlock): readonly Read[] {
  const { hash, view } = block
  const pinned = { blockHash: hash }
  const reads = [
    same('eth_getStorageAt', [emitter, slotOf(0n), pinned]),
    same('eth_getStorageAt', [emitter, emitterSlots[0], pinned]),
    same('eth_getStorageAt', [beaconRoots, slotOf(block.number), pinned]),
    same('eth_getStorageAt', [absent, slotOf(0n), pinned]),
    same('eth_getBalance', [sender, pinned]),
    same('eth_getTransactionCount', [sender, pinned]),
    same('eth_getCode', [emitter, pinned]),
    same('eth_getBlockByHash', [hash, true]),
    same('eth_getBlockByHash', [hash, false]),
    same('eth_getBlockReceipts', [hash]),
    same('eth_getLogs', [{ blockHash: hash }]),
    same('debug_getRawBlock', [hash]),
    same('debug_getRawReceipts', [hash]),
    same('eth_getTransactionByBlockHashAndIndex', [hash, '0x0']),
    same('eth_getTransactionByBlockHashAndIndex', [hash, '0xffff']),
    same('eth_getProof', [emitter, [slotOf(0n), slotOf(1n)], pinned]),
  ]
  const transaction = view.transactions.at(-1)
  if (transaction === undefined) return reads
  const name = toHex(transaction.hash())
  return [
    ...reads,
    same('eth_getTransactionByHash', [name]),
    same('eth_getTransactionReceipt', [name]),
  ]
}

/** The same reads by number. */
export function readsByNumber(block: StubBlock): readonly Read[] {
  const number = toQuantity(block.number)
  return readsOf(block).flatMap(({ method, params }) => {
    const byNumber = params.map((param) =>
      typeof param === 'object' && param !== null && 'blockHash' in param ? number : param,
    )
    if (byNumber[0] === block.hash) byNumber[0] = number
    const name = method.replace('BlockByHash', 'BlockByNumber').replace('BlockHash', 'BlockNumber')
    const isOnlyByHash = name === 'eth_getTransactionByHash' || name === 'eth_getLogs'
    return isOnlyByHash ? [] : [same(name, byNumber)]
  })
}

export function allReads(chain: StubChain): readonly Read[] {
  return chain.recorded.slice(1).flatMap(readsOf)
}

/** The honest reply of the stub, in the form of `canonical`. */
export async function truthOf(stub: StubUpstream, read: Read): Promise<string> {
  return canonical(await stub.honest(...read.upstream))
}

/** One text for all formats of the same answer: signatures padded, keys sorted. */
export function canonical(value: unknown): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [
        name,
        (name === 'r' || name === 's') && typeof member === 'string'
          ? `0x${member.slice(2).padStart(64, '0')}`
          : sorted(member),
      ]),
  )
}
