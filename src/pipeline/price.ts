// Price of a request in units. It is charged before the request runs; some outcomes are free.
// Tested by src/server/create-pipeline.test.ts
import type { Fault } from '../base/fault.ts'

/** Units of a call that fails before any work: bad envelope, bad params, unknown method. */
export const refusalUnits = 5

/** A batch costs its items plus one unit, unless all items are free. */
export function requestUnits(items: readonly { readonly units: number }[], batch: boolean): number {
  const sum = items.reduce((units, item) => units + item.units, 0)
  return batch && sum > 0 ? sum + 1 : sum
}

/** 401, 402, 403, 404, 405, 415, 429 and 5xx are free: the client got no result, or an attacker could drain its quota. */
export function isFree(fault: Fault): boolean {
  const { status } = fault.row
  return status >= 500 || [401, 402, 403, 404, 405, 415, 429].includes(status)
}

/** Final cost of a call with that price. A method that no upstream supports costs as much as an unknown one. */
export function chargedUnits(units: number, fault: Fault | null): number {
  if (fault === null) return units
  if (isFree(fault)) return 0
  return fault.code === 'no_method' ? Math.min(units, refusalUnits) : units
}
