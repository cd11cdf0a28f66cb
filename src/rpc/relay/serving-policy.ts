// How Cairn serves a method on networks behind upstreams, as the declaration of the method states it.
// Tested by src/rpc/relay/upstream-operations.test.ts
import type { PinForm, RelayClass } from '../../chain/relay.ts'
import type { MethodPolicy } from '../../chain/upstream/node/method-policy.ts'
import type { CallPlace } from '../params/relayed-calls.ts'

/** Position and spelling of the block parameter. `hash`: clients name the block by its hash, which pins it. */
export type BlockPlace = { readonly at: number; readonly form: PinForm | 'hash' }

/** Cairn proves the answer if the network allows it; else it forwards the call, as the verification policy says. */
export type ProvedServing = MethodPolicy & {
  readonly serve: 'prove'
  /**
   * `block`: a header and its lists. Most nodes can prove `state` near the head only. `call`: computed here on proved state.
   * `simulation`: the same with the state roots of blocks to come. `fees`: computed here from recent blocks, by the fork schedule.
   */
  readonly data: 'state' | 'block' | 'header' | 'call' | 'simulation' | 'fees'
  /** Price where it differs from the price on the embedded chain. */
  readonly units?: number
  /** The reply contains receipts, to which rollups add members that no root contains. */
  readonly shows?: 'receipts'
  /** Null: the method names no block. */
  readonly block: BlockPlace | null
  /** The answer is of a block that exists: `pending` means the latest one. */
  readonly pendingIsLatest?: true
  /** Of a forwarded call: as for one that is only forwarded. */
  readonly calls?: CallPlace
}

/** An upstream answers, without a proof: the call needs an EVM, a pool, or the node itself. */
export type RelayedServing = MethodPolicy & {
  readonly serve: 'relay'
  readonly class: RelayClass
  /** Price where it differs from the price on the embedded chain. */
  readonly units?: number
  /** Absent: the method names no block. */
  readonly block?: BlockPlace
  /** Where the address list of a key finds the accounts of a call; absent: the list does not apply. */
  readonly calls?: CallPlace
  /** Largest number of parameters. Absent: the upstream checks it. */
  readonly paramsMax?: number
}

/**
 * `self`: Cairn answers; the rest of the policy is for its own calls to upstreams. `never`: only the embedded chain has
 * the method.
 */
type OwnServing = MethodPolicy & { readonly serve: 'self' | 'never' }

export type ServingPolicy = ProvedServing | RelayedServing | OwnServing
