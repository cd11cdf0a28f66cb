// THE ORDER: authenticate -> gate -> parse -> admit -> run -> meter. All faces go through here. `run` of an operation
// is called in run-calls.ts alone, for file commands in run-files.ts, for readers of `/ipfs/<cid>` in run-path.ts.
import type { Caller } from '../access/accounts/caller.ts'
import { Fault } from '../base/fault.ts'
import type { Network } from '../chain/network.ts'
import { watchReads } from '../chain/watched-network.ts'
import { filesOutcome, rpcOutcome } from '../access/usage/usage-row.ts'
import {
  type Authenticate,
  type CardCheck,
  authenticateFiles,
  type AuthenticateDeps,
  authenticateRpc,
} from './authenticate-request.ts'
import type { NetworkEvents } from '../rpc/subscriptions/network-events.ts'
import { createSubscriptions } from '../rpc/subscriptions/subscriptions.ts'
import type { Credential, Pipeline, RpcAnswer, RpcOutcome } from './pipeline.ts'
import type { Inspector } from './inspector/inspector.ts'
import { createNetworkChoice } from '../rpc/networks.ts'
import { queryOneUpstream } from '../rpc/relay/query-one-upstream.ts'
import type { Operations } from './operation.ts'
import { planCall } from '../rpc/call-plan.ts'
import { refusalUnits, requestUnits } from '../rpc/price.ts'
import { batchMethod, createRpcMeter, type RpcMeterParts } from '../rpc/rpc-meter.ts'
import { type CallRunParts, createCallRuns } from '../rpc/run-calls.ts'
import { createFilesRuns, type FilesRunParts } from '../kubo/run-files.ts'
import { createPaths, type PathRules } from '../ipfs-gateway/run-path.ts'
import { type ResolveBlock, RequestContext } from '../rpc/request-context.ts'

export type PipelineDeps = FilesRunParts &
  CallRunParts &
  RpcMeterParts & {
    /** Those served now, the default first: the same list until it changes. */
    readonly networks: () => readonly Network[]
    readonly authenticate: Authenticate
    /** The IPFS API refuses accounts without a card. */
    readonly cardGate: CardCheck
    /** Takes the price of an event from the key's day; the rate is for what a caller asks. Throws `over_quota`. */
    readonly chargeUnits: (caller: Caller, units: number) => void
    /** What readers of `/ipfs/<cid>` may have. */
    readonly paths: PathRules
    /** Of keys whose owners want to see their requests. */
    readonly inspector: Pick<Inspector, 'begin'>
    readonly operationsOf: (network: Network) => Operations
    readonly resolveBlock: ResolveBlock
    readonly eventsOf: (network: Network) => NetworkEvents
    /** Called for each answered request with its weakest label. */
    readonly countAnswer?: (verified: string) => void
  }

/** Builds the gateway over its parts. Holds no state of its own. */
export function createPipeline(parts: PipelineDeps): Pipeline {
  const { authenticate, clock, count, operationsOf, log } = parts
  const files = createFilesRuns(parts)
  const calls = createCallRuns(parts)
  const meter = createRpcMeter(parts)

  /** Refused by what URL and headers show: of the body nothing is known. */
  function inspectRefusal(
    caller: Caller,
    { network, credential }: { readonly network: Network | null; readonly credential: Credential },
    fault: Fault,
  ): void {
    const face = network === null ? 'files' : 'rpc'
    const { status } = network === null ? filesOutcome(fault) : rpcOutcome(fault)
    const where = { face, transport: 'http', network: network?.name ?? null } as const
    const inspection = parts.inspector.begin(caller, {
      ...where,
      arrived: clock.monotonic(),
      credential,
    })
    inspection.timeline.reached('auth', fault.code)
    inspection.end({ fault, status, bytesIn: 0, bytesOut: 0 })
  }

  const tokenAuthenticator: AuthenticateDeps = {
    authenticate,
    refused(caller, { network, method, credential }, fault) {
      if (caller.settings.inspect) inspectRefusal(caller, { network, credential }, fault)
      if (network === null) files.countRefusal(caller, method, fault)
      else meter.countRefused(caller, network, fault)
    },
  }

  function enterCommand(
    credential: Credential,
    command: string,
    method = command,
  ): Promise<Caller> {
    return authenticateFiles(tokenAuthenticator, credential, command, {
      cardGate: parts.cardGate,
      method,
    })
  }

  return {
    ...createPaths({
      rules: parts.paths,
      files: parts.files,
      filesOf: parts.filesOf ?? null,
      transferMeters: parts.transferMeters,
      enter: enterCommand,
      count,
      clock,
      log,
    }),
    ...files,
    networkFor: createNetworkChoice(parts.networks),
    serves: (network) => parts.networks().includes(network),
    authenticateRpc: (credential, network) =>
      authenticateRpc(tokenAuthenticator, credential, network),
    admitSocket(caller, network) {
      try {
        parts.admitUnits(caller, refusalUnits)
        parts.refundUnits(caller, refusalUnits)
      } catch (thrown) {
        const fault = Fault.from(thrown)
        // A key whose limit is nothing is told so at each call, as over HTTP.
        if (fault.code === 'over_burst') return
        meter.countRefused(caller, network, fault)
        throw thrown
      }
    },
    openSubscriptions: (peer, network) =>
      createSubscriptions({
        events: parts.eventsOf(network),
        keyId: peer.caller.keyId,
        charge(units) {
          parts.chargeUnits(peer.caller, units)
          meter.countEvent(peer.caller, network, units)
        },
        send: (event) => peer.send(event),
        end: (fault) => peer.end(fault),
      }),
    authenticateFiles: enterCommand,

    countBytes: meter.countBytes,
    chargeRefusal: meter.chargeRefusal,

    runRpc(visit): RpcAnswer | Promise<RpcAnswer> {
      const { caller, batch, inspection } = visit
      const began = clock.monotonic()
      const offered = operationsOf(visit.network)
      const operations =
        visit.upstream === undefined ? offered : queryOneUpstream(offered, visit.upstream)
      const lasting = visit.subscriptions !== undefined
      const planned = visit.items.map((item) =>
        planCall(operations, item, caller.allowlists, lasting),
      )
      const units = requestUnits(planned, batch)
      if (inspection) {
        inspection.asks(visit.items, batch)
        inspection.timeline.reached('parse')
      }
      try {
        // Nothing to charge for is nothing to refuse: who may not call is told so, also when the day is used up.
        if (units > 0) parts.admitUnits(caller, units)
      } catch (thrown) {
        const fault = Fault.from(thrown)
        meter.countRefused(caller, visit.network, fault, planned)
        throw fault
      }
      inspection?.timeline.reached('admit')
      // Of a key that nobody inspects the network is as it is: nothing below costs more.
      const watched = inspection
        ? { ...visit, network: watchReads(visit.network, inspection.watch) }
        : visit
      const labels = new RequestContext(watched.network, parts.resolveBlock)
      const finish = (outcomes: readonly RpcOutcome[]): RpcAnswer => {
        const answered = outcomes.some((outcome) => !('fault' in outcome))
        const units = meter.settle(visit, planned, outcomes, began)
        const headers = labels.headers(batch, units, answered)
        if (inspection) {
          inspection.timeline.reached('run')
          inspection.answers(planned, outcomes, headers)
        }
        parts.countAnswer?.(headers.verified)
        const { method } = batch ? batchMethod : (planned[0] ?? { method: null })
        return { outcomes, headers, method }
      }
      const outcomes = calls.run(watched, planned, labels)
      return outcomes instanceof Promise ? outcomes.then(finish) : finish(outcomes)
    },
  }
}
