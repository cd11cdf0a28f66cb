// What the faces see of the gateway. A face turns bytes into these calls and their answers into bytes; every
// rule of the service lives behind them.
import type { Caller } from '../access/accounts/caller.ts'
import type { Fault } from '../base/fault.ts'
import type { Network } from '../chain/network.ts'
import type { FrameSubscriptions } from '../rpc/subscriptions/subscription.ts'
import type { Subscriptions } from '../rpc/subscriptions/subscriptions.ts'
import type { FilesDownload, FilesUpload } from './files-bytes.ts'
import type { ReadTrace } from '../content/read-trace.ts'
import type { RequestTimeline } from './inspector/request-timeline.ts'
import type { ProofBundle } from '../rpc/bundles/proof-bundle.ts'
import type { FilesOperation, FilesReply, FilesRequest } from './operation.ts'
import type { PathRun, IpfsGatewayRequest } from '../ipfs-gateway/path-operation.ts'

/**
 * What the caller sent, not yet judged. `user`: the Basic user name when it is not empty. `jwt`: of a Bearer header. `address`: where it
 * comes from, as the socket says. `origin`, `userAgent`: the headers, as they are.
 */
export type Credential = {
  /** Who calls, where that was judged already: the rest is not looked at. */
  readonly caller?: Caller
  readonly key: string | null
  readonly secret: string | null
  readonly user?: string | undefined
  readonly jwt?: string | undefined
  readonly address?: string
  readonly origin?: string | undefined
  readonly userAgent?: string | undefined
}

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

/** Told how a request goes that its key's owner wants to see (inspect/inspection.ts). */
export interface RequestRecorder {
  /** Of the reads that are made for it. */
  readonly watch: ReadTrace
  readonly timeline: Pick<RequestTimeline, 'reached' | 'kept'>
  /** The calls that it holds, before they run. */
  asks(items: readonly (RpcItem | Fault)[], batch: boolean): void
  /** In the order of the calls. `priced`: what each costs when it comes to no fault. */
  answers(
    priced: readonly { readonly units: number }[],
    outcomes: readonly RpcOutcome[],
    labels: RpcLabels,
  ): void
}

/** One HTTP request of the JSON-RPC face after its envelope was read. A Fault stands for a bad item. */
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
  /** Told what becomes of it, where the key's owner wants to see that. */
  readonly inspection?: RequestRecorder | null
}

/** A connection that stays, as the gateway sees it. */
export type WebSocketClient = {
  /** As it was judged last. */
  readonly caller: Caller
  /** An event, as JSON text. */
  send(event: string): void
  /** Events cannot go on: the day is used up, or some of them cannot be told. */
  end(fault: Fault): void
}

/** Values of the `x-cairn-*` headers; null = header absent. */
export type RpcLabels = {
  readonly verified: string
  readonly head: string | null
  readonly block: Uint8Array | null
  readonly blockNumber: bigint | null
  readonly units: number
}

/** Outcomes are in the order of items. */
export type RpcAnswer = {
  readonly outcomes: readonly RpcOutcome[]
  readonly headers: RpcLabels
  /** What the bytes of the request count under; null: nothing was asked. */
  readonly method: string | null
}

export type KuboRequest = {
  readonly caller: Caller
  readonly operation: FilesOperation<unknown>
  readonly request: FilesRequest
  /** The request's body, to be measured; absent: there is none. */
  readonly upload?: FilesUpload
  /** Is the client still there? Asked right before a commit. */
  readonly connected: () => boolean
  /** As of an RpcRequest. */
  readonly inspection?: RequestRecorder | null
  readonly signal: AbortSignal
}

/** What readers of `/ipfs/<cid>` need of it. */
export interface Paths {
  /** Null: nobody showed a key, and not everybody has to. Throws the faults of the file face. */
  authenticatePath(credential: Credential | null, operation: string): Promise<Caller | null>
  /** A request refused after entering, before it ran, is counted; null: in nobody's usage. */
  countPathRefusal(caller: Caller | null, operation: string, fault: Fault): void
  /**
   * Throws `bad_argument`, `over_rate`, `overloaded`, `denied`, `not_cached`, `not_found`, `no_credential` where nobody
   * showed a key and the content is not open, and what the operation throws.
   */
  runPath(visit: IpfsGatewayRequest): Promise<PathRun>
}

export interface Pipeline extends Paths {
  /** The network of a path label and a Host label (contract-rpc 1). Throws `no_network`. */
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
   * The same for the file face, card included. `command`: its path, also of one that is not offered; `method`: what a
   * refusal is counted as, unless it is the command.
   */
  authenticateFiles(credential: Credential, command: string, method?: string): Promise<Caller>
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
  /** A file command refused after entering, before it ran, is counted. `method`: of those that are offered, or `other`. */
  countRefusal(caller: Caller, method: string, fault: Fault): void
  /** Parse, admit, run. The face calls `settle` once, when the response has ended; `download` as a stream goes out. */
  runFiles(visit: KuboRequest): Promise<{
    readonly reply: FilesReply
    readonly download: FilesDownload
    /** `fault` null: it was answered. */
    settle(fault: Fault | null, bytes: { readonly in: number; readonly out: number }): void
  }>
}
