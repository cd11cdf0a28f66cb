// The order of every JSON-RPC request: authenticate -> authorize -> parse -> admit -> run -> meter. Only run-calls.ts calls `run`
// of a method.
// Tested by src/server/create-pipeline.test.ts
import type { Caller } from '../access/accounts/caller.ts'
import { Fault, type FaultCode } from '../base/fault.ts'
import type { Network } from '../chain/network.ts'
import { watchReads } from '../chain/watched-network.ts'
import { authenticateRpc } from '../pipeline/authenticate-request.ts'
import { refusalUnits, requestUnits } from '../pipeline/price.ts'
import { type RefusalDeps, reportRefusals } from '../pipeline/report-refusal.ts'
import { type CallPlan, type CallRunParts, createCallRuns, planCall } from './run-calls.ts'
import { createNetworkChoice } from './networks.ts'
import type { Operations } from './operation.ts'
import { queryOneUpstream } from './relay/query-one-upstream.ts'
import { RequestContext, type ResolveBlock } from './request-context.ts'
import { batchMethod, createRpcMeter, type RpcMeterParts } from './rpc-meter.ts'
import type { RpcAnswer, RpcOutcome, RpcRequest, RpcPipeline } from './rpc-pipeline.ts'
import type { NetworkEvents } from './subscriptions/network-events.ts'
import { createSubscriptions } from './subscriptions/subscriptions.ts'

export type RpcPipelineDeps = RefusalDeps &
  CallRunParts &
  RpcMeterParts & {
    /** The served networks, the default first. Returns the same array until it changes. */
    readonly networks: () => readonly Network[]
    /** Charges the price of an event against the key's daily limit, but not against its rate. Throws `over_quota`. */
    readonly chargeUnits: (caller: Caller, units: number) => void
    readonly operationsOf: (network: Network) => Operations
    readonly resolveBlock: ResolveBlock
    readonly eventsOf: (network: Network) => NetworkEvents
    /** Called for each answered request with its weakest level. */
    readonly countAnswer?: (verified: string) => void
  }

/** Builds the JSON-RPC pipeline. It has no state of its own. */
export function createRpcPipeline(parts: RpcPipelineDeps): RpcPipeline {
  const { clock, operationsOf } = parts
  const calls = createCallRuns(parts)
  const meter = createRpcMeter(parts)
  const authentication = reportRefusals(parts, (caller, { network }, fault) => {
    if (network !== null) meter.countRefused(caller, network, fault)
  })

  function runRpc(request: RpcRequest): RpcAnswer | Promise<RpcAnswer> {
    const { caller, batch, inspection } = request
    const began = clock.monotonic()
    const offered = operationsOf(request.network)
    const operations =
      request.upstream === undefined ? offered : queryOneUpstream(offered, request.upstream)
    const lasting = request.subscriptions !== undefined
    const planned = request.items.map((item) => planCall(operations, item, caller, lasting))
    const units = requestUnits(planned, batch)
    if (inspection) {
      inspection.recordCalls(request.items, batch)
      inspection.timeline.reached('parse')
    }
    const refuse = (thrown: unknown): never => {
      const fault = Fault.from(thrown)
      meter.countRefused(caller, request.network, fault, planned)
      throw fault
    }
    let admitted: void | Promise<void> = undefined
    try {
      // A request without units is not checked against the limits, so its refusals keep their reason after the daily limit.
      if (units > 0) admitted = parts.admitUnits(caller, units)
    } catch (thrown) {
      refuse(thrown)
    }
    return admitted instanceof Promise
      ? admitted.then(() => runAdmitted(request, planned, began), refuse)
      : runAdmitted(request, planned, began)
  }

  function runAdmitted(
    request: RpcRequest,
    planned: readonly CallPlan[],
    began: number,
  ): RpcAnswer | Promise<RpcAnswer> {
    const { batch, inspection } = request
    inspection?.timeline.reached('admit')
    // Without inspection the network is used unchanged, at no extra cost.
    const watched = inspection
      ? { ...request, network: watchReads(request.network, inspection.watch) }
      : request
    const labels = new RequestContext(watched.network, parts.resolveBlock)
    const finish = (outcomes: readonly RpcOutcome[]): RpcAnswer => {
      const answered = outcomes.some(
        (outcome) => !('fault' in outcome) || (labels.isProved && computed.has(outcome.fault.code)),
      )
      const units = meter.settle(request, planned, outcomes, began, labels.weakest)
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
  }

  return {
    networkFor: createNetworkChoice(parts.networks),
    serves: (network) => parts.networks().includes(network),
    authenticateRpc: (credential, network) => authenticateRpc(authentication, credential, network),
    admitSocket(caller, network) {
      const refuse = (thrown: unknown): void => {
        const fault = Fault.from(thrown)
        // Cairn refuses each call of a key whose limit is 0, as over HTTP.
        if (fault.code === 'over_burst') return
        meter.countRefused(caller, network, fault)
        throw thrown
      }
      const refund = (): void => parts.refundUnits(caller, refusalUnits)
      try {
        const admitted = parts.admitUnits(caller, refusalUnits)
        return admitted instanceof Promise ? admitted.then(refund, refuse) : refund()
      } catch (thrown) {
        return refuse(thrown)
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
    methodNames: (network, items) =>
      items.map((item) =>
        item instanceof Fault ? '' : (operationsOf(network).find(item.method)?.name ?? 'other'),
      ),
    countBytes: meter.countBytes,
    chargeRefusal: meter.chargeRefusal,
    runRpc,
  }
}

/** A fault that a call or simulation ended with on proved state counts as its answer. */
const computed: ReadonlySet<FaultCode> = new Set([
  'reverted',
  'execution_failed',
  'nonce_too_low',
  'nonce_too_high',
  'fee_too_low',
  'gas_too_low',
  'no_funds',
  'block_gas_spent',
  'block_order',
  'time_order',
  'init_code_too_large',
  'over_blocks',
  'not_simulated',
])
