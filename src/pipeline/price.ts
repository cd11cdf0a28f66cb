// What a request costs in units (contract-rpc 11). Charged before work; some outcomes are free.
// Tested by src/server/create-pipeline.test.ts
import type { Fault } from '../base/fault.ts'

/** Units of a call that fails before any work: bad envelope, bad params, unknown method. */
export const refusalUnits = 5

/** A batch costs its items and one more, unless all of them are free. */
export function requestUnits(items: readonly { readonly units: number }[], batch: boolean): number {
  const sum = items.reduce((units, item) => units + item.units, 0)
  return batch && sum > 0 ? sum + 1 : sum
}

/** 401, 402, 403, 404, 405, 415, 429 and 5xx cost nothing: the caller got no answer, or must not be drained. */
export function isFree(fault: Fault): boolean {
  const { status } = fault.row
  return status >= 500 || [401, 402, 403, 404, 405, 415, 429].includes(status)
}

/** What a call of that price costs in the end. A method that turned out to be nobody's costs as one that is unknown. */
export function chargedUnits(units: number, fault: Fault | null): number {
  if (fault === null) return units
  if (isFree(fault)) return 0
  return fault.code === 'no_method' ? Math.min(units, refusalUnits) : units
}
