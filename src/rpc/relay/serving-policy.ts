// How Cairn serves a method on networks behind upstreams, as its declaration states.
// Tested by src/rpc/relay/upstream-operations.test.ts
import type { PinForm, RelayClass } from '../../chain/relay.ts'
import type { MethodPolicy } from '../../chain/upstream/node/method-policy.ts'
import type { CallPosition } from '../params/relayed-calls.ts'

/** Position and form of the block parameter. `hash`: a block hash, which pins the block. */
export type BlockPosition = { readonly at: number; readonly form: PinForm | 'hash' }

/** Cairn proves the answer if the network allows it; otherwise it relays the call if the verification policy permits. */
export type ProvedServing = MethodPolicy & {
  readonly serve: 'prove'
  /**
   * `block`: a header and its lists. `state`: most nodes can prove it only near the head. `call`: computed by Cairn on proved
   * state. `simulation`: the same, with the state roots of simulated blocks. `fees`: computed by Cairn from recent blocks and the
   * fork schedule.
   */
  readonly data: 'state' | 'block' | 'header' | 'call' | 'simulation' | 'fees'
  /** Price if it differs from the price on the embedded chain. */
  readonly units?: number
  /** The reply contains receipts, to which rollups add members that no root contains. */
  readonly shows?: 'receipts'
  /** Null: the method has no block parameter. */
  readonly block: BlockPosition | null
  /** The answer is about an existing block: `pending` means the latest one. */
  readonly pendingIsLatest?: true
  /** For a relayed call, as in `RelayedServing`. */
  readonly calls?: CallPosition
}

/** An upstream answers, without a proof: the call needs an EVM, a pool, or the node itself. */
export type RelayedServing = MethodPolicy & {
  readonly serve: 'relay'
  readonly class: RelayClass
  /** Price if it differs from the price on the embedded chain. */
  readonly units?: number
  /** Absent: the method has no block parameter. */
  readonly block?: BlockPosition
  /** Where the address list of a key finds the accounts of a call; absent: the list does not apply. */
  readonly calls?: CallPosition
  /** Largest number of parameters. Absent: the upstream checks it. */
  readonly paramsMax?: number
}

/**
 * `self`: Cairn answers; the rest of the policy is for its own calls to upstreams. `never`: only the embedded chain has
 * the method.
 */
type UnrelayedServing = MethodPolicy & { readonly serve: 'self' | 'never' }

export type ServingPolicy = ProvedServing | RelayedServing | UnrelayedServing
