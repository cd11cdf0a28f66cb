// What a probe asks of one upstream. An answer that says it has not, or knows not, is an answer; only trouble on the way to
// it is thrown.
// Tested by src/chain/upstream/node/probe.test.ts
import { equalBytes, toHex, toQuantity } from '../../../base/hex.ts'
import { emptyTrieRoot } from '../../../codec/ethereum/account-state.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import type { HistoryKind } from './history-depth.ts'
import { UpstreamError, type UpstreamErrorKind } from './upstream-error.ts'
import type { Upstream } from './upstream.ts'

/** As the upstream names it. `hash`: `0x` hex. `timestamp`: seconds since 1970. */
export type ProbedBlock = {
  readonly number: bigint
  readonly hash: string
  readonly timestamp: number
}

/** All throw UpstreamError on trouble, and `signal.reason`. */
export type ProbeQuestions = {
  /** Methods it said it does not know, so far. */
  readonly lacking: ReadonlySet<string>
  /** Throws UpstreamError whatever is wrong. */
  ask(method: string, params: readonly unknown[]): Promise<unknown>
  /** Null when it does not say. */
  find(method: string, params: readonly unknown[]): Promise<unknown>
  newestBlock(): Promise<ProbedBlock | null>
  /** Does it have this of a block that is canonical to it? */
  holds(kind: HistoryKind, number: bigint): Promise<boolean>
  /** Does it take a block by hash and mean that one? Null when it cannot be seen on blocks up to `head`. */
  takesHash(head: bigint): Promise<boolean | null>
}

/** Ages at which a block with another state root than the head's is looked for. */
const pinnedAges: readonly bigint[] = [1n, 2n, 4n, 16n, 64n]

type Members = Readonly<Record<string, unknown>>

/** `account`: whose state is asked for, 20 bytes. */
export function createProbeQuestions(
  upstream: Upstream,
  account: Uint8Array,
  signal: AbortSignal,
): ProbeQuestions {
  const address = toHex(account)
  const lacking = new Set<string>()

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await upstream.call(method, params, signal, { methodClass: 'read', isProbe: true })
    } catch (error) {
      if (error instanceof UpstreamError && error.kind === 'unsupported') lacking.add(method)
      throw error
    }
  }

  /** Null when it does not say. Trouble ends the probe or the search. */
  async function find(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await ask(method, params)
    } catch (error) {
      if (error instanceof UpstreamError && negatives.has(error.kind)) return null
      throw error
    }
  }

  async function stateRootOf(number: bigint): Promise<Uint8Array | null> {
    const block = await find('eth_getBlockByNumber', [toQuantity(number), false])
    return isMembers(block) ? bytesOf(block['stateRoot'], 32) : null
  }

  /** Is the proof under this root? Its first node is, or the trie is empty. */
  async function provesUnder(root: Uint8Array, block: unknown): Promise<boolean> {
    const reply = await find('eth_getProof', [address, [], block])
    const nodes = isMembers(reply) ? reply['accountProof'] : null
    if (!Array.isArray(nodes)) return false
    const first = bytesOf(nodes[0], null)
    if (first === null) return nodes.length === 0 && equalBytes(root, emptyTrieRoot)
    return equalBytes(keccak256(first), root)
  }

  async function holds(kind: HistoryKind, number: bigint): Promise<boolean> {
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

  /** A proof asked for by hash has the root of that block, where it differs from the head's. */
  async function takesHash(head: bigint): Promise<boolean | null> {
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

  return { lacking, ask, find, newestBlock, holds, takesHash }
}

/** About what was asked, not trouble on the way to it. */
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

/** With its transactions: a node that dropped the body may still give the header. */
function isBody(block: unknown): boolean {
  if (!isMembers(block) || !Array.isArray(block['transactions'])) return false
  const root = bytesOf(block['transactionsRoot'], 32)
  return root !== null && equalBytes(root, emptyTrieRoot) === (block['transactions'].length === 0)
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null where `value` is none of at most 8 bytes. */
export function quantityOf(value: unknown): bigint | null {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(value) ? BigInt(value) : null
}

/** Of `length` bytes, or of any length. */
function bytesOf(value: unknown, length: number | null): Uint8Array | null {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) return null
  const bytes = new Uint8Array(Buffer.from(value.slice(2), 'hex'))
  return length === null || bytes.length === length ? bytes : null
}
