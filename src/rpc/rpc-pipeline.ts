// The JSON-RPC service as its HTTP and WebSocket endpoints use it. An endpoint turns bytes into these calls and their
// answers into bytes; every rule of the service lies behind them.
import type { Caller } from '../access/accounts/caller.ts'
import type { Fault } from '../base/fault.ts'
import type { Network } from '../chain/network.ts'
import type { Credential } from '../pipeline/credential.ts'
import type { AnswerLabels, RequestRecorder } from '../pipeline/request-recorder.ts'
import type { ProofBundle } from './bundles/proof-bundle.ts'
import type { FrameSubscriptions } from './subscriptions/subscription.ts'
import type { Subscriptions } from './subscriptions/subscriptions.ts'

export type RpcItem = { readonly method: string; readonly params: readonly unknown[] }

/**
 * `text`: the result as JSON text already. `proof`: its bundle, when one was asked for. `rollback`: the face calls it
 * when the result does not reach the caller, so that it can be given again.
 */
export type RpcOutcome =
  | { readonly result: unknown; readonly proof?: ProofBundle; readonly rollback?: () => void }
  /** `bytes`: the length of `text`, JSON, in UTF-8. */
  | { readonly text: string; readonly bytes: number; readonly proof?: ProofBundle }
  | { readonly fault: Fault }

/** One HTTP request of the JSON-RPC API after its envelope was read. A Fault stands for a bad item. */
export type RpcRequest = {
  readonly caller: Caller
  readonly network: Network
  readonly items: readonly (RpcItem | Fault)[]
  readonly batch: boolean
  /** Each result is to come with its proof bundle. */
  readonly proof?: boolean
  /** Its signal is asked for only when something has to be waited for. */
  readonly request: { readonly signal: AbortSignal }
  /** Of the connection that it came over; absent over HTTP. */
  readonly subscriptions?: FrameSubscriptions
  /** Ask this upstream alone, by its name: known reads, as its word. */
  readonly upstream?: string
  /** Records the request if the key has inspection turned on. */
  readonly inspection?: RequestRecorder | null
}

/** A connection that stays, as the gateway sees it. */
export type WebSocketClient = {
  /** As it was judged last. */
  readonly caller: Caller
  /** An event, as JSON text. */
  send(event: string): void
  /** Events must end: the daily limit is reached, or some events cannot be sent. */
  end(fault: Fault): void
}

/** Outcomes are in the order of items. */
export type RpcAnswer = {
  readonly outcomes: readonly RpcOutcome[]
  readonly headers: AnswerLabels
  /** What the bytes of the request count under; null: nothing was asked. */
  readonly method: string | null
}

export interface RpcPipeline {
  /** The network of a path label and a Host label. Throws `no_network`. */
  networkFor(pathLabel: string | null, hostLabel: string | null): Network
  /** Is it still served? Not once other settings have put another in its place. */
  serves(network: Network): boolean
  /** Authenticate and gate, before the body is read. Throws the 401 and 403 faults; those of a known key are counted. */
  authenticateRpc(credential: Credential, network: Network): Caller | Promise<Caller>
  /** A connection that stays may open: the day and the rate have room for a call. Throws `over_rate`, `over_quota`. */
  admitSocket(caller: Caller, network: Network): void
  /** The subscriptions of a connection that opens; their events are charged to the peer's caller. */
  openSubscriptions(peer: WebSocketClient, network: Network): Subscriptions
  /**
   * Parse each item, admit the whole, run, meter: at once when every answer is at hand. A Fault thrown refuses
   * the whole request (`over_rate`, `over_quota`, `over_burst`); a fault of one item is its outcome.
   */
  runRpc(visit: RpcRequest): RpcAnswer | Promise<RpcAnswer>
  /** Counts the body bytes of a request that was answered, and of its answer. */
  countBytes(
    visit: Pick<RpcRequest, 'caller' | 'network'>,
    answer: RpcAnswer,
    bytes: { readonly in: number; readonly out: number },
  ): void
  /**
   * A request refused after entering (`bad_json`, `too_large`) is counted, and charged if units are left.
   * Returns the units it was charged.
   */
  chargeRefusal(caller: Caller, network: Network, fault: Fault): number
}
