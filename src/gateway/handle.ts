// THE ORDER: authenticate -> gate -> parse -> admit -> run -> meter. Both faces go through here, and only
// this file calls `run` of an operation.
import type { Caller } from '../accounts/caller.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Network } from '../ethereum/network.ts'
import type { Files } from '../ipfs/files.ts'
import type { UsedCall } from '../limits/usage.ts'
import { type Authenticate, enterFiles, enterRpc } from './enter.ts'
import type { FilesVisit, Gateway, RpcItem, RpcOutcome, RpcVisit } from './gateway.ts'
import { createNetworkChoice } from './networks.ts'
import type { FilesClass, RpcCall, RpcOperation } from './operation.ts'
import { isFree, refusalUnits, requestUnits } from './price.ts'
import { findRefusal } from './refused-methods.ts'
import { createVisit, type ResolveBlock } from './visit.ts'

export type GatewayParts = {
  readonly networks: readonly Network[]
  readonly files: Files
  readonly authenticate: Authenticate
  /** The file face refuses accounts without a card. */
  readonly cardGate: boolean
  /** Takes units from the key's rate and day. Throws `over_rate`, `over_quota`, `over_burst`. */
  readonly admitUnits: (caller: Caller, units: number) => void
  /** Gives back units of answers that are free. */
  readonly refundUnits: (caller: Caller, units: number) => void
  /** Takes one file command from the key's rate. Throws `over_rate`. */
  readonly admitFiles: (caller: Caller, commandClass: FilesClass) => void
  /** Counts one finished call. Bytes are 0 on the JSON-RPC face. */
  readonly count: (call: UsedCall) => void
  readonly operations: ReadonlyMap<string, RpcOperation<unknown>>
  readonly resolveBlock: ResolveBlock
  readonly log: Log
}

/** Calls of one batch that run at the same time. */
const concurrentItems = 16

type Planned =
  | { readonly method: string; readonly units: number; readonly fault: Fault }
  | {
      readonly method: string
      readonly units: number
      readonly run: (call: RpcCall) => Promise<unknown>
    }

/** Builds the gateway over its parts. Holds no state of its own. */
export function createGateway(parts: GatewayParts): Gateway {
  const { authenticate, count, operations, log } = parts

  async function outcomeOf(planned: Planned, call: RpcCall): Promise<RpcOutcome> {
    if ('fault' in planned) return { fault: planned.fault }
    try {
      return { result: await planned.run(call) }
    } catch (thrown) {
      const fault = call.signal.aborted ? Fault.from(call.signal.reason) : Fault.from(thrown)
      if (fault.code === 'internal') {
        log('error', 'operation failed', { method: planned.method, cause: fault.cause })
      }
      return { fault }
    }
  }

  return {
    networkFor: createNetworkChoice(parts.networks),
    enterRpc: (credential, network) => enterRpc(authenticate, credential, network),
    enterFiles: (credential) => enterFiles(authenticate, credential, parts.cardGate),

    async runRpc(visit: RpcVisit) {
      const { caller, network, signal } = visit
      const planned = visit.items.map((item) => plan(operations, item))
      const units = requestUnits(
        planned.map((item) => item.units),
        visit.batch,
      )
      const facts = {
        keyId: caller.keyId,
        face: 'rpc',
        network: network.name,
        bytesIn: 0,
        bytesOut: 0,
      } as const
      try {
        parts.admitUnits(caller, units)
      } catch (thrown) {
        const fault = Fault.from(thrown)
        for (const { method } of planned) count({ ...facts, method, outcome: fault.code, units: 0 })
        throw fault
      }
      const memory = createVisit(network, parts.resolveBlock, signal)
      const call: RpcCall = {
        caller,
        network,
        resolve: memory.resolve,
        labels: memory.labels,
        signal,
      }
      const outcomes = await inOrder(planned, concurrentItems, (item) => outcomeOf(item, call))

      let free = 0
      for (const [index, item] of planned.entries()) {
        const outcome = outcomes[index] as RpcOutcome
        const fault = 'fault' in outcome ? outcome.fault : null
        const charged = fault !== null && isFree(fault) ? 0 : item.units
        free += item.units - charged
        count({ ...facts, method: item.method, outcome: fault?.code ?? 'ok', units: charged })
      }
      // Rows add up to what was charged, also for the day's units after a restart.
      if (visit.batch) count({ ...facts, method: 'batch', outcome: 'ok', units: 1 })
      if (free > 0) parts.refundUnits(caller, free)
      return { outcomes, headers: memory.headers(visit.batch, units - free) }
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
      count({
        keyId: caller.keyId,
        face: 'rpc',
        network: network.name,
        method: '',
        outcome: fault.code,
        units,
        bytesIn: 0,
        bytesOut: 0,
      })
    },

    async runFiles(visit: FilesVisit) {
      const { caller, operation, signal, connected } = visit
      const facts = {
        keyId: caller.keyId,
        face: 'files',
        network: '',
        method: operation.name,
        units: 0,
      } as const
      try {
        const input = operation.parse(visit.request)
        parts.admitFiles(caller, operation.class)
        const reply = await operation.run(input, { caller, files: parts.files, connected, signal })
        return {
          reply,
          settle: (outcome, bytes) => {
            count({ ...facts, outcome, bytesIn: bytes.in, bytesOut: bytes.out })
          },
        }
      } catch (thrown) {
        const fault = Fault.from(thrown)
        if (fault.code === 'internal')
          log('error', 'operation failed', { method: operation.name, cause: fault.cause })
        count({ ...facts, outcome: fault.code, bytesIn: 0, bytesOut: 0 })
        throw fault
      }
    },
  }
}

function plan(operations: GatewayParts['operations'], item: RpcItem | Fault): Planned {
  if (item instanceof Fault) return { method: '', units: refusalUnits, fault: item }
  const operation = operations.get(item.method)
  if (operation === undefined) {
    const detail = `The method ${item.method.slice(0, 256)} does not exist/is not available`
    const fault = findRefusal(item.method) ?? new Fault('no_method', { detail })
    // Foreign names never become rows of the usage table.
    return { method: 'other', units: refusalUnits, fault }
  }
  const { name, units } = operation
  try {
    const input = operation.parse(item.params)
    return { method: name, units, run: (call) => operation.run(input, call) }
  } catch (thrown) {
    return { method: name, units: refusalUnits, fault: Fault.from(thrown) }
  }
}

/** Runs `work` over `items`, at most `width` at a time; results in the order of items. */
async function inOrder<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  async function lane(): Promise<void> {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index] as T)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
  return results
}
