// The id of a filter: text that is compared and never read (geth's rpc.ID).
// Tested by test/api/filters-started.test.ts
import { jsonTypeName, refuseArgument, wrongType } from './refuse-argument.ts'

/** Any text: one that names no filter is answered as such. Throws `bad_params` for anything else. */
export function parseFilterId(value: unknown, position: number): string {
  if (typeof value === 'string') return value
  throw refuseArgument(position, wrongType(jsonTypeName(value), 'rpc.ID'))
}
