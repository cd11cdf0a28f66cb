// Settings of a running stub upstream. The default is an honest archive node.

/** Faults of the network or of the server, never a wrong reply. */
export type Trouble =
  | 'status 503'
  | 'status 500 with HTML'
  | 'status 200 with HTML'
  | 'too many requests'
  | 'payment required'
  | 'connection reset'
  | 'body cut short'
  | 'not JSON'
  | 'empty body'
  | 'another id'
  | 'another version'
  | 'result and error both'
  | 'ten megabytes'
  | 'bytes dribbled'
  | 'no answer'
  | 'internal error'

export const troubles: readonly Trouble[] = [
  'status 503',
  'status 500 with HTML',
  'status 200 with HTML',
  'too many requests',
  'payment required',
  'connection reset',
  'body cut short',
  'not JSON',
  'empty body',
  'another id',
  'another version',
  'result and error both',
  'ten megabytes',
  'bytes dribbled',
  'no answer',
  'internal error',
]

/** A received call. `index`: number of earlier calls, of all methods. */
export type StubCall = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly index: number
}

/** The members of the reply except `jsonrpc` and `id`. */
export type StubReply =
  | { readonly result: unknown }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
    }

/** Returns a false reply, or null for the honest one. */
export type InvalidReply = (
  call: StubCall,
  honest: StubReply,
) => StubReply | null | Promise<StubReply | null>

export type StubKnobs = {
  chainId: bigint
  clientVersion: string
  /** Milliseconds before a reply is written, for each HTTP request. */
  latencyMs: (call: StubCall) => number
  /** Called once per HTTP request, with its first call. */
  trouble: (call: StubCall) => Trouble | null
  /** Seconds in Retry-After of a 429. */
  retryAfterSeconds: string
  /** Number of the chain's blocks that it does not have yet. */
  lag: number
  /** Proofs exist for this many blocks below the head; older ones are refused with the error text of that client. */
  proofWindow: { readonly blocks: number; readonly client: 'geth' | 'reth' | 'erigon' } | null
  /** Values and proofs exist for this many blocks below the head. */
  stateWindow: number | null
  /** Bodies and receipts below this block are pruned. */
  prunedBelow: bigint
  /** Returns true for methods that it does not support. */
  lacks: (method: string) => boolean
  /** Supports EIP-1898 block parameters. */
  blockHashParameter: boolean
  /** Slots must have 32 bytes. */
  wholeKeysOnly: boolean
  /** debug_getRaw* accept a hash too. */
  rawByHash: boolean
  batches: boolean
  spelling: {
    readonly parity: 'v' | 'yParity' | 'both'
    readonly input: 'data' | 'input' | 'both'
    /** Integers with leading zeros, hashes in upper case. */
    readonly padded: boolean
  }
  /** Accepts WebSockets at the same URL, and pushes its heads over them. */
  pushes: boolean
  /** Replaces replies, as the last step. */
  falsify: InvalidReply | null
}

export function honestKnobs(chainId: bigint): StubKnobs {
  return {
    chainId,
    clientVersion: 'Geth/v1.16.4-stub/linux-amd64/go1.25.1',
    latencyMs: () => 0,
    trouble: () => null,
    retryAfterSeconds: '1',
    lag: 0,
    proofWindow: null,
    stateWindow: null,
    prunedBelow: 0n,
    lacks: () => false,
    blockHashParameter: true,
    wholeKeysOnly: false,
    rawByHash: true,
    batches: true,
    spelling: { parity: 'both', input: 'input', padded: false },
    pushes: false,
    falsify: null,
  }
}
