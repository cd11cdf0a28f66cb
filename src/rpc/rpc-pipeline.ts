// Interface of the JSON-RPC pipeline for its HTTP and WebSocket endpoints. An endpoint turns bytes into these calls and their
// answers into bytes; the pipeline applies all rules.
import type { Caller } from '../access/accounts/caller.ts'
import type { Fault } from '../base/fault.ts'
import type { Network } from '../chain/network.ts'
import type { Credential } from '../pipeline/authenticate-request.ts'
import type { AnswerLabels, RequestRecorder } from '../pipeline/request-recorder.ts'
import type { ProofBundle } from './bundles/proof-bundle.ts'
import type { FrameSubscriptions } from './subscriptions/subscription.ts'
import type { Subscriptions } from './subscriptions/subscriptions.ts'

export type RpcItem = { readonly method: string; readonly params: readonly unknown[] }

/**
 * `text`: the result, serialized. `proof`: its bundle, if the client requested one. `rollback`: the endpoint calls it if
 * the result does not reach the client, so that a later call returns it again.
 */
export type RpcOutcome =
  | { readonly result: unknown; readonly proof?: ProofBundle; readonly rollback?: () => void }
  /** `bytes`: the length of `text`, JSON, in UTF-8. */
  | { readonly text: string; readonly bytes: number; readonly proof?: ProofBundle }
  | { readonly fault: Fault }

/** One request or WebSocket frame after its envelope was parsed. A Fault replaces an invalid item. */
export type RpcRequest = {
  readonly caller: Caller
  readonly network: Network
  readonly items: readonly (RpcItem | Fault)[]
  readonly batch: boolean
  /** Add a proof bundle to each result. */
  readonly proof?: boolean
  /** Its signal is read only if a call must wait. */
  readonly exchange: { readonly signal: AbortSignal }
  /** Those of the WebSocket connection; absent over HTTP. */
  readonly subscriptions?: FrameSubscriptions
  /** Send known reads to this upstream only, by its name, and label them as its claim. */
  readonly upstream?: string
  /** Records the request if the key has inspection turned on. */
  readonly inspection?: RequestRecorder | null
}

/** A WebSocket connection as the pipeline sees it. */
export type WebSocketClient = {
  /** The caller as last authenticated. */
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
  /** The method that the request's bytes are counted for; null for an empty request. */
  readonly method: string | null
}

export interface RpcPipeline {
  /** The network of a path label and a Host label. Throws `no_network`. */
  networkFor(pathLabel: string | null, hostLabel: string | null): Network
  /** Whether the network is still served. False after new settings replaced it. */
  serves(network: Network): boolean
  /** Authenticates and authorizes before the body is read. Throws the 401 and 403 faults; those of a known key are counted. */
  authenticateRpc(credential: Credential, network: Network): Caller | Promise<Caller>
  /**
   * Checks that rate and daily limit allow a call before a WebSocket opens. Throws `over_rate`, `over_quota`. Returns a promise if
   * it must first acquire a share of the rate.
   */
  admitSocket(caller: Caller, network: Network): void | Promise<void>
  /** The subscriptions of a new connection; their events are charged to its caller. */
  openSubscriptions(peer: WebSocketClient, network: Network): Subscriptions
  /**
   * Parses each item, admits the whole request, runs and meters it; synchronously if all answers are in memory. Throws a Fault that
   * refuses the whole request (`over_rate`, `over_quota`, `over_burst`); the fault of one item is its outcome.
   */
  runRpc(request: RpcRequest): RpcAnswer | Promise<RpcAnswer>
  /** The method names of these calls in usage reports: `other` for an unknown method, empty for an invalid call. */
  methodNames(network: Network, items: readonly (RpcItem | Fault)[]): readonly string[]
  /** Counts the body bytes of an answered request and of its answer. */
  countBytes(
    request: Pick<RpcRequest, 'caller' | 'network'>,
    answer: RpcAnswer,
    bytes: { readonly in: number; readonly out: number },
  ): void
  /**
   * Counts a request that is refused after authentication (`bad_json`, `too_large`), and charges it if units are left. Returns the
   * charged units; a promise if it must first acquire a share of the rate.
   */
  chargeRefusal(caller: Caller, network: Network, fault: Fault): number | Promise<number>
}
