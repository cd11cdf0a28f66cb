// Finds out what an upstream is and what it has: chain, client, head, which methods, how far back it serves and proves.
// Nothing of it is believed but for choosing whom to ask; `cairn doctor` prints it.
import type { Clock } from '../../base/clock.ts'
import { equalBytes, toHex, toQuantity } from '../../base/hex.ts'
import { keccak256 } from '../../codec/keccak.ts'
import { emptyTrieRoot } from '../../codec/account-state.ts'
import { probeReach } from './probe-reach.ts'
import { reachKinds, type Reach, type ReachKind, type Reaches } from './reach.ts'
import { UpstreamError, type UpstreamErrorKind } from './upstream-error.ts'
import type { Upstream } from './upstream.ts'

export type ProbeReport = {
  readonly upstream: string
  /** Why nothing more is known, without secrets; null when it answered. */
  readonly failure: string | null
  readonly chainId: bigint | null
  readonly client: string | null
  readonly head: {
    readonly number: bigint
    /** `0x` hex. */
    readonly hash: string
    /** Of the block, seconds since 1970. */
    readonly timestamp: number
    /** Seconds between the block's time and now; negative when the block says it is from the future. */
    readonly ageSeconds: number
  } | null
  /** Does it take a block by hash (EIP-1898) and mean that block? Null when it could not be seen. */
  readonly takesBlockHash: boolean | null
  /** Those that could not be found out now are as they were known before. */
  readonly reach: Reaches
  /** Of the methods Cairn asks for, those it does not know. */
  readonly lacks: readonly string[]
}

export type ProbeOptions = {
  readonly clock: Clock
  /** Whose state is asked for: 20 bytes. Any account does; its absence is proved too. */
  readonly account?: Uint8Array
}

/** Asked for by number at the head, to see whether they are there. */
const methodsAsked: readonly string[] = [
  'debug_getRawHeader',
  'debug_getRawBlock',
  'debug_getRawReceipts',
  'eth_getBlockReceipts',
]
/** Ages at which a block with another state root than the head's is looked for. */
const pinnedAges: readonly bigint[] = [1n, 2n, 4n, 16n, 64n]
const textLengthMax = 200

type Members = Readonly<Record<string, unknown>>

/**
 * Tells the upstream what was found: chain, reach. Some fifty calls, one after the other. Throws only `signal.reason`;
 * what cannot be found out is null, and `failure` says why nothing could be.
 */
export async function probeUpstream(
  upstream: Upstream,
  { clock, account = new Uint8Array(20) }: ProbeOptions,
  signal: AbortSignal,
): Promise<ProbeReport> {
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

  async function holds(kind: ReachKind, number: bigint): Promise<boolean> {
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

  async function readHead(): Promise<ProbeReport['head']> {
    const block = await find('eth_getBlockByNumber', ['latest', false])
    if (!isMembers(block)) return null
    const number = quantityOf(block['number'])
    const hash = bytesOf(block['hash'], 32)
    const time = quantityOf(block['timestamp'])
    if (number === null || hash === null || time === null) return null
    const timestamp = Number(time)
    const ageSeconds = Math.round(clock.now() / 1000) - timestamp
    return { number, hash: toHex(hash), timestamp, ageSeconds }
  }

  const report: { -readonly [Name in keyof ProbeReport]: ProbeReport[Name] } = {
    upstream: upstream.name,
    failure: null,
    chainId: null,
    client: null,
    head: null,
    takesBlockHash: null,
    reach: upstream.status().reach,
    lacks: [],
  }
  try {
    report.chainId = quantityOf(await ask('eth_chainId', []))
    if (report.chainId !== null) upstream.tellChain(report.chainId)
    const client = await find('web3_clientVersion', [])
    report.client =
      typeof client === 'string' ? upstream.redact(client).slice(0, textLengthMax) : null
    report.head = await readHead()
    if (report.head !== null) {
      const { number } = report.head
      for (const method of methodsAsked) await find(method, [toQuantity(number)])
      report.takesBlockHash = await takesHash(number)
      const found: Partial<Record<ReachKind, Reach>> = {}
      for (const kind of reachKinds) {
        const reach = await probeReach(kind, number, holds)
        if (reach !== undefined) found[kind] = reach
      }
      upstream.tellReach(found)
      report.reach = upstream.status().reach
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    report.failure = error.message
  }
  report.lacks = [...lacking]
  return report
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

function quantityOf(value: unknown): bigint | null {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(value) ? BigInt(value) : null
}

/** Of `length` bytes, or of any length. */
function bytesOf(value: unknown, length: number | null): Uint8Array | null {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) return null
  const bytes = new Uint8Array(Buffer.from(value.slice(2), 'hex'))
  return length === null || bytes.length === length ? bytes : null
}
