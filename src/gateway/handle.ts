// THE ORDER: authenticate -> gate -> parse -> admit -> run -> meter. All faces go through here. `run` of an operation
// is called here alone, for file commands in run-files.ts, for readers of `/ipfs/<cid>` in run-path.ts.
import type { Caller } from '../accounts/caller.ts'
import { Fault } from '../base/fault.ts'
import type { BlockRef } from '../ethereum/head.ts'
import type { Network } from '../ethereum/network.ts'
import { watchReads } from '../ethereum/watched-network.ts'
import { filesOutcome, rpcOutcome, type UsedCall } from '../limits/usage-row.ts'
import { type Authenticate, enterFiles, type EnterParts, enterRpc } from './enter.ts'
import type { NetworkEvents } from './events/network-events.ts'
import { createSubscriptions } from './events/subscriptions.ts'
import type { Credential, Gateway, RpcAnswer, RpcOutcome, RpcVisit } from './gateway.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { Inspector } from './inspect/inspector.ts'
import { askOneUpstream } from './one-upstream.ts'
import { findKept, keepProved, ProofWatch } from './keep-proved.ts'
import { createNetworkChoice } from './networks.ts'
import { toOutcome } from './once-told.ts'
import { runBundled } from './make-bundle.ts'
import type { BlockParameter, Operations, RpcCall } from './operation.ts'
import { plan, type Planned } from './plan.ts'
import { ProofBudget } from './proof-budget.ts'
import { chargedUnits, isFree, refusalUnits, requestUnits } from './price.ts'
import { createFilesRuns, type FilesRunParts } from './run-files.ts'
import { createPaths, type PathRules } from './run-path.ts'
import { Unfinished } from './unfinished.ts'
import { type ResolveBlock, Visit } from './visit.ts'

export type GatewayParts = FilesRunParts & {
  /** Those served now, the default first: the same list until it changes. */
  readonly networks: () => readonly Network[]
  readonly authenticate: Authenticate
  /** The file face refuses accounts without a card. */
  readonly cardGate: boolean
  /** Takes units from the key's rate and day. Throws `over_rate`, `over_quota`, `over_burst`. */
  readonly admitUnits: (caller: Caller, units: number) => void
  /** Gives back units of answers that are free. */
  readonly refundUnits: (caller: Caller, units: number) => void
  /** Takes the price of an event from the key's day; the rate is for what a caller asks. Throws `over_quota`. */
  readonly chargeUnits: (caller: Caller, units: number) => void
  /** Adds the bytes of a call that was counted. */
  readonly countBytes: (call: UsedCall) => void
  /** What readers of `/ipfs/<cid>` may have. */
  readonly paths: PathRules
  /** Of keys whose owners want to see their requests. */
  readonly inspector: Pick<Inspector, 'begin'>
  readonly operationsOf: (network: Network) => Operations
  readonly resolveBlock: ResolveBlock
  readonly keptAnswers: KeptAnswers
  readonly eventsOf: (network: Network) => NetworkEvents
  /** Told of each request that was answered: the weakest label of it, or null. */
  readonly countAnswer?: (verified: string | null) => void
}

/** Calls of one batch that run at the same time. */
const concurrentItems = 16
/** The same with their bundles: each holds all that it read. */
const concurrentBundles = 4
/** A call that has to wait, as far as it came without. */
class Begun {
  readonly unfinished: Unfinished
  readonly watch: ProofWatch
  constructor(unfinished: Unfinished, watch: ProofWatch) {
    this.unfinished = unfinished
    this.watch = watch
  }
}

/** What is counted as no method of its own. */
const noMethod = { method: '' }
const batchMethod = { method: 'batch' }
const eventMethod = { method: 'eth_subscription' }

/** Builds the gateway over its parts. Holds no state of its own. */
export function createGateway(parts: GatewayParts): Gateway {
  const { authenticate, clock, count, operationsOf, log } = parts
  const runs = createFilesRuns(parts)

  async function outcomeOf(
    planned: Planned,
    call: RpcCall,
    begun: Begun | null,
    budget: ProofBudget | null,
  ): Promise<RpcOutcome> {
    const { operation, input, params, fault, method } = planned
    if (operation === null) return { fault: fault ?? new Fault('internal') }
    try {
      if (budget !== null) {
        budget.judge()
        const watch = new ProofWatch(call.labels)
        const bundled = await runBundled({ operation, input, params }, watch.watched(call), watch)
        budget.take(bundled.proof)
        return { ...toOutcome(bundled.result), proof: bundled.proof }
      }
      if (begun !== null) {
        const { unfinished, watch } = begun
        const result = await unfinished.goOn(call.signal)
        return keepProved(parts.keptAnswers, call.network, operation, input, result, watch)
      }
      if (operation.kept === undefined) return toOutcome(await operation.run(input, call))
      const watch = new ProofWatch(call.labels)
      const result = await operation.run(input, watch.watched(call))
      return keepProved(parts.keptAnswers, call.network, operation, input, result, watch)
    } catch (thrown) {
      return { fault: told(call.signal.aborted ? call.signal.reason : thrown, method) }
    }
  }

  /** The outcome when all it takes is at hand; else what it began, or null. */
  function outcomeNow(
    { operation, input, method }: Planned,
    network: Network,
    visit: Visit,
  ): RpcOutcome | Begun | null {
    if (operation?.runNow === undefined) return null
    const watch = new ProofWatch(visit)
    try {
      const resolveNow = (parameter: BlockParameter): BlockRef | null => {
        const block = visit.resolveNow(parameter)
        if (block !== null) watch.block(block)
        return block
      }
      const result = operation.runNow(input, { network, resolveNow, labels: watch })
      if (result === undefined) return null
      if (result instanceof Unfinished) return new Begun(result, watch)
      return keepProved(parts.keptAnswers, network, operation, input, result, watch)
    } catch (thrown) {
      return { fault: told(thrown, method) }
    }
  }

  function told(thrown: unknown, method: string): Fault {
    const fault = Fault.from(thrown)
    if (fault.code === 'internal') log('error', 'operation failed', { method, cause: fault.cause })
    return fault
  }

  /** Runs what could not be answered at once; fills the holes of `outcomes`. */
  async function runWaiting(
    visit: RpcVisit,
    labels: Visit,
    planned: readonly Planned[],
    outcomes: (RpcOutcome | Begun | null)[],
  ): Promise<void> {
    const { caller, network, request } = visit
    const call: RpcCall = {
      caller,
      network,
      resolve: (parameter) => labels.resolve(parameter),
      labels,
      signal: request.signal,
      ...(visit.subscriptions === undefined ? {} : { subscriptions: visit.subscriptions }),
    }
    const budget = visit.proof === true ? new ProofBudget() : null
    const lanes = budget === null ? concurrentItems : concurrentBundles
    let next = 0
    async function lane(): Promise<void> {
      while (next < planned.length) {
        const index = next++
        const begun = outcomes[index] ?? null
        if (begun === null || begun instanceof Begun) {
          outcomes[index] = await outcomeOf(planned[index] as Planned, call, begun, budget)
        }
      }
    }
    if (planned.length === 1) return await lane()
    await Promise.all(Array.from({ length: Math.min(lanes, planned.length) }, lane))
  }

  /** The tail of the order: what was free is given back, what was used is counted. */
  function meter(
    visit: RpcVisit,
    planned: readonly Planned[],
    outcomes: readonly RpcOutcome[],
    began: number,
  ): number {
    const { caller, network } = visit
    const ms = clock.monotonic() - began
    let units = 0
    let free = 0
    for (let index = 0; index < planned.length; index++) {
      const item = planned[index] as Planned
      const outcome = outcomes[index] as RpcOutcome
      const fault = 'fault' in outcome ? outcome.fault : null
      const charged = chargedUnits(item.units, fault)
      units += charged
      free += item.units - charged
      countRpc(caller, network, item, fault, charged, item.fault === null ? ms : null)
    }
    // Rows add up to what was charged, also for the day's units after a restart.
    if (visit.batch && planned.some(({ units: price }) => price > 0)) {
      countRpc(caller, network, batchMethod, null, 1)
      units += 1
    }
    if (free > 0) parts.refundUnits(caller, free)
    return units
  }

  function countRpc(
    { keyId, accountId }: Caller,
    network: Network,
    { method }: Pick<Planned, 'method'>,
    fault: Fault | null,
    units: number,
    ms: number | null = null,
  ): void {
    const { outcome, reason, status } = rpcOutcome(fault)
    count({
      keyId,
      accountId,
      face: 'rpc',
      network: network.name,
      method,
      outcome,
      reason,
      status,
      units,
      bytesIn: 0,
      bytesOut: 0,
      ms,
    })
  }

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

  const entrance: EnterParts = {
    authenticate,
    refused(caller, { network, method, credential }, fault) {
      if (caller.settings.inspect) inspectRefusal(caller, { network, credential }, fault)
      if (network === null) runs.countRefusal(caller, method, fault)
      else countRpc(caller, network, noMethod, fault, 0)
    },
  }

  function enterCommand(
    credential: Credential,
    command: string,
    method = command,
  ): Promise<Caller> {
    return enterFiles(entrance, credential, command, { cardGate: parts.cardGate, method })
  }

  return {
    ...createPaths({
      rules: parts.paths,
      files: parts.files,
      fileMeters: parts.fileMeters,
      enter: enterCommand,
      count,
      clock,
      log,
    }),
    ...runs,
    networkFor: createNetworkChoice(parts.networks),
    serves: (network) => parts.networks().includes(network),
    enterRpc: (credential, network) => enterRpc(entrance, credential, network),
    enterSocket(caller, network) {
      try {
        parts.admitUnits(caller, refusalUnits)
        parts.refundUnits(caller, refusalUnits)
      } catch (thrown) {
        const fault = Fault.from(thrown)
        // A key whose limit is nothing is told so at each call, as over HTTP.
        if (fault.code === 'over_burst') return
        countRpc(caller, network, noMethod, fault, 0)
        throw thrown
      }
    },
    openSubscriptions: (peer, network) =>
      createSubscriptions({
        events: parts.eventsOf(network),
        keyId: peer.caller.keyId,
        charge(units) {
          parts.chargeUnits(peer.caller, units)
          countRpc(peer.caller, network, eventMethod, null, units)
        },
        send: (event) => peer.send(event),
        end: (fault) => peer.end(fault),
      }),
    enterFiles: enterCommand,

    countBytes({ caller, network }, { method, outcomes }, bytes) {
      if (method === null) return
      const [first] = outcomes
      const fault =
        outcomes.length === 1 && first !== undefined && 'fault' in first ? first.fault : null
      const { outcome, reason, status } = rpcOutcome(method === batchMethod.method ? null : fault)
      parts.countBytes({
        keyId: caller.keyId,
        accountId: caller.accountId,
        face: 'rpc',
        network: network.name,
        method,
        outcome,
        reason,
        status,
        units: 0,
        bytesIn: bytes.in,
        bytesOut: bytes.out,
        ms: null,
      })
    },

    runRpc(visit): RpcAnswer | Promise<RpcAnswer> {
      const { caller, batch, inspection } = visit
      const began = clock.monotonic()
      const offered = operationsOf(visit.network)
      const operations =
        visit.upstream === undefined ? offered : askOneUpstream(offered, visit.upstream)
      const lasting = visit.subscriptions !== undefined
      const planned = visit.items.map((item) => plan(operations, item, caller.allowlists, lasting))
      const units = requestUnits(planned, batch)
      // Of a key that nobody inspects the network is as it is: nothing below costs more.
      const network = inspection ? watchReads(visit.network, inspection.watch) : visit.network
      if (inspection) {
        inspection.asks(visit.items, batch)
        inspection.timeline.reached('parse')
      }
      try {
        // Nothing to charge for is nothing to refuse: who may not call is told so, also when the day is used up.
        if (units > 0) parts.admitUnits(caller, units)
      } catch (thrown) {
        const fault = Fault.from(thrown)
        for (const item of planned) countRpc(caller, network, item, fault, 0)
        throw fault
      }
      inspection?.timeline.reached('admit')
      const labels = new Visit(network, parts.resolveBlock, visit.request)
      let waiting = 0
      const outcomes = planned.map((item): RpcOutcome | Begun | null => {
        if (item.fault !== null) return { fault: item.fault }
        // An answer at hand comes without the nodes it follows from.
        if (visit.proof === true) {
          waiting++
          return null
        }
        const kept = findKept(parts.keptAnswers, network, item.operation, item.input, labels)
        if (kept !== null) inspection?.timeline.kept()
        const outcome = kept ?? outcomeNow(item, network, labels)
        if (outcome === null || outcome instanceof Begun) waiting++
        return outcome
      })
      const finish = (): RpcAnswer => {
        const answered = outcomes as readonly RpcOutcome[]
        const charged = meter(visit, planned, answered, began)
        const headers = labels.headers(batch, charged)
        if (inspection) {
          inspection.timeline.reached('run')
          inspection.answers(planned, answered, headers)
        }
        parts.countAnswer?.(headers.verified)
        const method = batch ? batchMethod.method : (planned[0]?.method ?? null)
        return { outcomes: answered, headers, method }
      }
      return waiting === 0
        ? finish()
        : runWaiting(inspection ? { ...visit, network } : visit, labels, planned, outcomes).then(
            finish,
          )
    },

    chargeRefusal(caller, network, fault) {
      let units = isFree(fault) ? 0 : refusalUnits
      try {
        if (units > 0) parts.admitUnits(caller, units)
      } catch (thrown) {
        // No units left for the charge: the first failure still answers, and is counted.
        if (!(thrown instanceof Fault)) throw thrown
        units = 0
      }
      countRpc(caller, network, noMethod, fault, units)
      return units
    },
  }
}
