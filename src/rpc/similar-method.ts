// Finds the method that a misspelt name means.
// Tested by src/admin/resources/keys/allowed-methods.test.ts, src/cli/doctor/upstream-checks.test.ts
import { distance } from '../base/similar-name.ts'
import { listRpcMethods } from './methods/index.ts'
import { servingPolicies } from './relay/relayed-methods.ts'

/** Maximum edit distance between a misspelt name and the suggested method. */
const editsMax = 2
const charsMax = 100

const knownMethods = [
  ...new Set([...listRpcMethods().map(({ name }) => name), ...servingPolicies.keys()]),
]

/** Null for a method that Cairn knows, and for a name that is like none: an upstream may serve methods that Cairn does not know. */
export function findSimilarMethod(name: string): string | null {
  if (knownMethods.includes(name)) return null
  return knownMethods.find((one) => distance(name.slice(0, charsMax), one) <= editsMax) ?? null
}
