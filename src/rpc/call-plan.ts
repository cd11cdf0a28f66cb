// One JSON-RPC call before it runs: its operation, input and price, or the reason of its refusal.
// Tested by src/server/create-pipeline.test.ts
import {
  type Allowlists,
  authorizeAddresses,
  authorizeMethod,
} from '../access/accounts/allowlists.ts'
import { Fault } from '../base/fault.ts'
import type { RpcItem } from './rpc-pipeline.ts'
import type { Operations, RpcOperation } from './operation.ts'
import { isFree, refusalUnits } from '../pipeline/price.ts'
import { findRefusal } from './refused-methods.ts'

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
 * Never throws: the plan of a refused call holds its fault. `allowlists` null: the key has none. `lasting`: the call came
 * over a WebSocket.
 */
export function planCall(
  operations: Operations,
  item: RpcItem | Fault,
  allowlists: Allowlists | null,
  lasting: boolean,
): CallPlan {
  if (item instanceof Fault) return refused('', item)
  const known = operations.find(item.method)
  const operation = known?.lasting === true && !lasting ? null : known
  // Foreign names never become rows of the usage table.
  const method = operation?.name ?? 'other'
  try {
    if (allowlists !== null) authorizeMethod(allowlists, item.method)
    if (operation === null) throw notServed(item.method)
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

function refused(method: string, fault: Fault): CallPlan {
  const units = isFree(fault) ? 0 : refusalUnits
  return { method, units, fault, operation: null, input: null, params: [] }
}
