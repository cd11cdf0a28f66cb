// The requests of a probe to one upstream. A reply that it lacks the data or the method is an answer; only transport
// errors are thrown.
// Tested by src/chain/upstream/node/probe.test.ts
import { equalBytes, toHex, toQuantity } from '../../../base/hex.ts'
import { emptyTrieRoot } from '../../../codec/ethereum/account-state.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import type { HistoryKind } from './history-depth.ts'
import { UpstreamError, type UpstreamErrorKind } from './upstream-error.ts'
import type { Upstream } from './upstream.ts'

/** As the upstream reports it. `hash`: `0x` hex. `timestamp`: seconds since 1970. */
export type ProbedBlock = {
  readonly number: bigint
  readonly hash: string
  readonly timestamp: number
}

/** All throw UpstreamError on transport errors, and `signal.reason`. */
export type ProbeQuestions = {
  /** Methods that it reported as unknown so far. */
  readonly lacking: ReadonlySet<string>
  /** Throws UpstreamError for any failure. */
  call(method: string, params: readonly unknown[]): Promise<unknown>
  /** Null if the upstream does not answer the call. */
  find(method: string, params: readonly unknown[]): Promise<unknown>
  newestBlock(): Promise<ProbedBlock | null>
  /** Whether it has this data of a block that is canonical for it. */
  hasData(kind: HistoryKind, number: bigint): Promise<boolean>
  /** Whether it accepts a block hash (EIP-1898) and uses that block. Null if blocks up to `head` do not show it. */
  acceptsBlockHash(head: bigint): Promise<boolean | null>
}

/** Ages of the candidate blocks whose state root may differ from the head's. */
const pinnedAges: readonly bigint[] = [1n, 2n, 4n, 16n, 64n]

type Members = Readonly<Record<string, unknown>>

/** `account`: 20 bytes; the state requests read this account. */
export function createProbeQuestions(
  upstream: Upstream,
  account: Uint8Array,
  signal: AbortSignal,
): ProbeQuestions {
  const address = toHex(account)
  const lacking = new Set<string>()

  async function call(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await upstream.call(method, params, signal, { methodClass: 'read', isProbe: true })
    } catch (error) {
      if (error instanceof UpstreamError && error.kind === 'unsupported') lacking.add(method)
      throw error
    }
  }

  /** Null if the upstream does not answer the call. A transport error ends the probe or the search. */
  async function find(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await call(method, params)
    } catch (error) {
      if (error instanceof UpstreamError && negatives.has(error.kind)) return null
      throw error
    }
  }

  async function stateRootOf(number: bigint): Promise<Uint8Array | null> {
    const block = await find('eth_getBlockByNumber', [toQuantity(number), false])
    return isMembers(block) ? bytesOf(block['stateRoot'], 32) : null
  }

  /** True if the proof starts at this root: its first node has the root as hash, or the trie is empty. */
  async function provesUnder(root: Uint8Array, block: unknown): Promise<boolean> {
    const reply = await find('eth_getProof', [address, [], block])
    const nodes = isMembers(reply) ? reply['accountProof'] : null
    if (!Array.isArray(nodes)) return false
    const first = bytesOf(nodes[0], null)
    if (first === null) return nodes.length === 0 && equalBytes(root, emptyTrieRoot)
    return equalBytes(keccak256(first), root)
  }

  async function hasData(kind: HistoryKind, number: bigint): Promise<boolean> {
    const block = toQuantity(number)
    switch (kind) {
      case 'state':
        return typeof (await find('eth_getBalance', [address, block])) === 'string'
      case 'proof': {
        const root = await stateRootOf(number)
        return root !== null && (await provesUnder(root, block))
      }
      case 'body':
        return isBody(await find('eth_getBlockByNumber', [block, true]))
      case 'receipts': {
        if (!lacking.has('eth_getBlockReceipts')) {
          return Array.isArray(await find('eth_getBlockReceipts', [block]))
        }
        return Array.isArray(await find('debug_getRawReceipts', [block]))
      }
    }
  }

  /** A proof requested by hash has the root of that block, which differs from the head's. */
  async function acceptsBlockHash(head: bigint): Promise<boolean | null> {
    const newest = await stateRootOf(head)
    for (const age of pinnedAges.filter((one) => one <= head)) {
      const block = await find('eth_getBlockByNumber', [toQuantity(head - age), false])
      if (!isMembers(block) || newest === null) return null
      const root = bytesOf(block['stateRoot'], 32)
      if (root === null || equalBytes(root, newest)) continue
      return await provesUnder(root, { blockHash: block['hash'] })
    }
    return null
  }

  async function newestBlock(): Promise<ProbedBlock | null> {
    const block = await find('eth_getBlockByNumber', ['latest', false])
    if (!isMembers(block)) return null
    const number = quantityOf(block['number'])
    const hash = bytesOf(block['hash'], 32)
    const time = quantityOf(block['timestamp'])
    if (number === null || hash === null || time === null) return null
    return { number, hash: toHex(hash), timestamp: Number(time) }
  }

  return { lacking, call, find, newestBlock, hasData, acceptsBlockHash }
}

/** Errors that answer the question, unlike transport errors. */
const negatives: ReadonlySet<UpstreamErrorKind> = new Set([
  'unsupported',
  'unknown_block',
  'not_canonical',
  'proof_window',
  'missing_state',
  'pruned',
  'client_fault',
  'execution',
  'no_tag',
  'range',
  'other',
])

/** True if the block includes its transactions: a node that dropped the body may still return the header. */
function isBody(block: unknown): boolean {
  if (!isMembers(block) || !Array.isArray(block['transactions'])) return false
  const root = bytesOf(block['transactionsRoot'], 32)
  return root !== null && equalBytes(root, emptyTrieRoot) === (block['transactions'].length === 0)
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null if `value` is no quantity of at most 8 bytes. */
export function quantityOf(value: unknown): bigint | null {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(value) ? BigInt(value) : null
}

/** Bytes of the given length, or of any length. */
function bytesOf(value: unknown, length: number | null): Uint8Array | null {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) return null
  const bytes = new Uint8Array(Buffer.from(value.slice(2), 'hex'))
  return length === null || bytes.length === length ? bytes : null
}
