// Plans the calls of a request (operation, input and price, or the fault of a refusal) and runs the admitted ones: from the answer
// cache, synchronously if all content is in memory, else in parallel.
// Tested by src/server/create-pipeline.test.ts
import { authorizeAddresses, authorizeMethod } from '../access/accounts/allowlists.ts'
import type { Caller } from '../access/accounts/caller.ts'
import { Fault } from '../base/fault.ts'
import type { RpcItem, RpcOutcome, RpcRequest } from './rpc-pipeline.ts'
import {
  type BlockParameter,
  type Operations,
  type RpcCall,
  type RpcOperation,
  runOperation,
} from './operation.ts'
import { isFree, refusalUnits } from '../pipeline/price.ts'
import { findRefusal } from './refused-methods.ts'
import type { Log } from '../base/log.ts'
import { SuspendedRead, beginRead, completeRead } from '../chain/read.ts'
import { type AnswerCache, ProofWatch, cacheIfProved, findCached } from './answer-cache.ts'
import { runBundled } from './bundles/make-bundle.ts'
import { toOutcome } from './revocable.ts'
import { ProofBudget } from './bundles/proof-budget.ts'
import type { RequestContext } from './request-context.ts'

/** `operation` is null exactly when `fault` is not. */
export type CallPlan = {
  readonly method: string
  readonly units: number
  readonly fault: Fault | null
  readonly operation: RpcOperation<unknown> | null
  readonly input: unknown
  /** As received. */
  readonly params: readonly unknown[]
}

/**
 * Never throws: the plan of a refused call holds its fault. `lasting`: the call arrived over a WebSocket.
 */
export function planCall(
  operations: Operations,
  item: RpcItem | Fault,
  { allowlists, settings }: Pick<Caller, 'allowlists' | 'settings'>,
  lasting: boolean,
): CallPlan {
  if (item instanceof Fault) return refused('', item)
  const found = operations.find(item.method)
  const operation = found?.lasting === true && !lasting ? null : found
  // Unknown method names are not recorded in the usage table.
  const method = operation?.name ?? 'other'
  try {
    if (allowlists !== null) authorizeMethod(allowlists, item.method)
    if (operation === null) throw notServed(item.method)
    if (operation.development === true && !settings.devMethods) throw needsDevMethods(method)
    const input = operation.parse(item.params)
    const named = allowlists === null ? undefined : operation.addresses?.(input)
    if (allowlists !== null && named !== undefined) authorizeAddresses(allowlists, named)
    return { method, units: operation.units, fault: null, operation, input, params: item.params }
  } catch (thrown) {
    return refused(method, Fault.from(thrown))
  }
}

function notServed(method: string): Fault {
  const detail = `The method ${method.slice(0, 256)} does not exist/is not available`
  return findRefusal(method) ?? new Fault('no_method', { detail })
}

/** If another table refuses the method with a message, keys without `devMethods` get that message. */
function needsDevMethods(method: string): Fault {
  const detail = `${method} changes the chain: it needs a key with the setting devMethods`
  const data = { reason: 'dev_methods' }
  return findRefusal(method) ?? new Fault('method_not_offered', { detail, data })
}

function refused(method: string, fault: Fault): CallPlan {
  const units = isFree(fault) ? 0 : refusalUnits
  return { method, units, fault, operation: null, input: null, params: [] }
}

export type CallRunParts = {
  readonly answerCache: AnswerCache
  readonly log: Log
}

export type CallRuns = {
  /** In the order of `planned`; returns no promise if no call must wait. Never throws: a fault is an outcome. */
  run(
    request: RpcRequest,
    planned: readonly CallPlan[],
    labels: RequestContext,
  ): readonly RpcOutcome[] | Promise<readonly RpcOutcome[]>
}

/** Calls of one batch that run concurrently. */
const concurrentItems = 16
/** As `concurrentItems`, with proof bundles: each holds all content that it read. */
const concurrentBundles = 4

/** A call whose read is suspended until content is fetched. */
class Begun {
  readonly read: SuspendedRead<unknown>
  readonly watch: ProofWatch
  constructor(read: SuspendedRead<unknown>, watch: ProofWatch) {
    this.read = read
    this.watch = watch
  }
}

export function createCallRuns({ answerCache, log }: CallRunParts): CallRuns {
  /** The outcome if all content is in memory; else the suspended read, or null for an operation without `read`. */
  function begin(
    item: CallPlan,
    request: RpcRequest,
    labels: RequestContext,
  ): RpcOutcome | Begun | null {
    const { operation, input, method, fault } = item
    if (fault !== null) return { fault }
    // A cached answer lacks the nodes that prove it.
    if (request.proof === true) return null
    const { network, caller, inspection } = request
    const cached = findCached(answerCache, network, operation, input, labels)
    if (cached !== null) {
      inspection?.timeline.recordCached()
      return cached
    }
    if (operation?.read === undefined) return null
    const watch = new ProofWatch(labels)
    const resolve = (parameter: BlockParameter) => labels.resolve(parameter)
    try {
      const call = watch.watched({ caller, network, resolve, labels })
      const result = beginRead(operation.read(input, call))
      if (result instanceof SuspendedRead) return new Begun(result, watch)
      return cacheIfProved(answerCache, network, operation, input, result, watch)
    } catch (thrown) {
      return { fault: toFault(thrown, method) }
    }
  }

  async function outcomeOf(
    { operation, input, params, fault, method }: CallPlan,
    call: RpcCall,
    begun: Begun | null,
    budget: ProofBudget | null,
  ): Promise<RpcOutcome> {
    if (operation === null) return { fault: fault ?? new Fault('internal') }
    try {
      if (budget !== null) {
        budget.check()
        const watch = new ProofWatch(call.labels)
        const bundled = await runBundled({ operation, input, params }, watch.watched(call), watch)
        budget.add(bundled.proof)
        return { ...toOutcome(bundled.result), proof: bundled.proof }
      }
      if (begun !== null) {
        const { read, watch } = begun
        const result = await completeRead(read, call.signal)
        return cacheIfProved(answerCache, call.network, operation, input, result, watch)
      }
      if (operation.cache === undefined)
        return toOutcome(await runOperation(operation, input, call))
      const watch = new ProofWatch(call.labels)
      const result = await runOperation(operation, input, watch.watched(call))
      return cacheIfProved(answerCache, call.network, operation, input, result, watch)
    } catch (thrown) {
      return { fault: toFault(call.signal.aborted ? call.signal.reason : thrown, method) }
    }
  }

  function toFault(thrown: unknown, method: string): Fault {
    const fault = Fault.from(thrown)
    if (fault.code === 'internal') log('error', 'operation failed', { method, cause: fault.cause })
    return fault
  }

  /** Completes the missing outcomes. */
  async function runPending(
    request: RpcRequest,
    planned: readonly CallPlan[],
    labels: RequestContext,
    outcomes: (RpcOutcome | Begun | null)[],
  ): Promise<readonly RpcOutcome[]> {
    const { caller, network } = request
    const call: RpcCall = {
      caller,
      network,
      resolve: (parameter) => labels.resolve(parameter),
      labels,
      signal: request.exchange.signal,
      ...(request.subscriptions === undefined ? {} : { subscriptions: request.subscriptions }),
    }
    const budget = request.proof === true ? new ProofBudget() : null
    const lanes = budget === null ? concurrentItems : concurrentBundles
    let next = 0
    async function lane(): Promise<void> {
      while (next < planned.length) {
        const index = next++
        const begun = outcomes[index] ?? null
        if (begun === null || begun instanceof Begun) {
          outcomes[index] = await outcomeOf(planned[index] as CallPlan, call, begun, budget)
        }
      }
    }
    if (planned.length === 1) await lane()
    else await Promise.all(Array.from({ length: Math.min(lanes, planned.length) }, lane))
    return outcomes as readonly RpcOutcome[]
  }

  return {
    run(request, planned, labels) {
      let anyPending = false
      const outcomes = planned.map((item) => {
        const outcome = begin(item, request, labels)
        anyPending ||= outcome === null || outcome instanceof Begun
        return outcome
      })
      return anyPending
        ? runPending(request, planned, labels, outcomes)
        : (outcomes as readonly RpcOutcome[])
    },
  }
}
