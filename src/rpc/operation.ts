// The type of a JSON-RPC method, and its access to the server while it runs.
import type { Caller } from '../access/accounts/caller.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Level } from '../chain/level.ts'
import type { Network } from '../chain/network.ts'
import { completeRead, type Read } from '../chain/read.ts'
import type { MethodShape } from './open-rpc/method-shape.ts'
import type { ServingPolicy } from './relay/serving-policy.ts'
import type { FrameSubscriptions } from './subscriptions/subscription.ts'

/** Values of the `x-cairn-*` headers. The weakest level of a batch wins. */
export interface Labels {
  level(level: Level): void
  /** The operation answered from this block. */
  block(block: BlockRef): void
}

/** A block parameter (EIP-1898), parsed. */
export type BlockParameter =
  | { readonly tag: 'latest' | 'pending' | 'safe' | 'finalized' | 'earliest' }
  | { readonly number: bigint }
  | { readonly hash: Uint8Array; readonly requireCanonical: boolean }

/** Access of a read: no HTTP, no sockets. */
export type ReadCall = {
  readonly caller: Caller
  readonly network: Network
  /**
   * The block a parameter names, fixed for the whole HTTP request, and shown in the labels. Throws `unknown_block`,
   * `no_tag`, `not_canonical`.
   */
  resolve(block: BlockParameter): Read<BlockRef>
  readonly labels: Labels
}

/** Access of an operation that is not a read. */
export type RpcCall = ReadCall & {
  readonly signal: AbortSignal
  /** Those of the WebSocket connection; absent over HTTP. */
  readonly subscriptions?: FrameSubscriptions
}

/**
 * Cache key of an operation whose proved answer follows from a block and the input alone. Answers of other operations are
 * proved again at each call.
 */
export type CacheKey<Input> = {
  /** The block of the answer; null for an input whose answer must not be cached. */
  block(input: Input): BlockParameter | null
  /** The rest of the input in canonical form: equal keys mean equal answers at one block. */
  key(input: Input): string
}

/**
 * How the proof bundle names the request of an operation whose proved answer follows from one block alone. The verifier
 * runs the operation again with this request, on the nodes of the bundle.
 */
type BundledBy<Input> = {
  /** Wire name of the operation that gives the same answer by the block's hash, where this one takes none. */
  readonly as?: string
  /** The block that the input names; null for a transaction's hash, which leads to one. */
  block(input: Input): BlockParameter | null
  /** Params that name the block by `blockHash` (hex), every value in one spelling. Null: not for this input. */
  params(input: Input, blockHash: string, number: bigint): readonly unknown[] | null
}

/** Declaration of an operation. */
export type RpcDeclaration<Input> = {
  readonly name: string
  readonly units: number
  /** Only over WebSocket; over HTTP it is refused as an unknown method. */
  readonly lasting?: true
  /** Changes the embedded chain outside of transactions: only for keys with `devMethods`. */
  readonly development?: true
  /** Only answers labelled `proof` are cached. */
  readonly cache?: CacheKey<Input>
  /** Undefined: replies have no proof bundle. */
  readonly bundle?: BundledBy<Input>
  /** Parses raw params. Throws `bad_params` with geth's texts. Pure. */
  parse(params: readonly unknown[]): Input
  /**
   * The accounts that a call touches, for a key with an address list; empty if it names none or could reach any account. If the
   * method is absent or returns undefined, the list does not apply.
   */
  addresses?(input: Input): readonly Uint8Array[] | undefined
}

/** The result is a JSON value; bigints never reach it. */
export type RpcOperation<Input> = RpcDeclaration<Input> &
  (
    | {
        /** For an answer that follows from content alone: runs without a promise if all content is in memory. */
        read(input: Input, call: ReadCall): Read<unknown>
        readonly run?: undefined
      }
    | {
        readonly read?: undefined
        run(input: Input, call: RpcCall): Promise<unknown>
      }
  )

/** A method as declared in its file in methods/. */
export type RpcMethod<Input> = RpcOperation<Input> &
  MethodShape & {
    /** On networks behind upstreams. Absent: Cairn answers, and does not call the method of an upstream itself. */
    readonly upstream?: ServingPolicy
  }

/** Runs an operation of either kind. Throws the faults of the operation. */
export function runOperation<Input>(
  operation: RpcOperation<Input>,
  input: Input,
  call: RpcCall,
): Promise<unknown> {
  return operation.run === undefined
    ? completeRead(operation.read(input, call), call.signal)
    : operation.run(input, call)
}

/** Operations of one network, by wire name. */
export interface Operations {
  /** Null: not offered. The operation of an unlisted method is named `other`. */
  find(method: string): RpcOperation<unknown> | null
}
