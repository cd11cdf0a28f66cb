// Validates the method names of an allowlist when it is set, so that a name that no call can have is refused then.
// Tested by src/admin/resources/keys/allowed-methods.test.ts
import type { z } from 'zod'
import { listRpcMethods } from '../../../rpc/methods/index.ts'
import { findRefusal } from '../../../rpc/refused-methods.ts'
import { findSimilarMethod } from '../../../rpc/similar-method.ts'

const known = new Set(listRpcMethods().map(({ name }) => name))

/**
 * Adds an issue for each method that Cairn always refuses, and for each misspelt name of a known method. Other names pass:
 * an upstream may serve methods that Cairn does not know.
 */
export function checkAllowedMethods(names: readonly string[], context: z.RefinementCtx): void {
  for (const [at, name] of names.entries()) {
    const message = faultOf(name)
    if (message !== null) context.addIssue({ code: 'custom', path: [at], message })
  }
}

function faultOf(name: string): string | null {
  // Another check refuses a name that has not the form of a method.
  if (known.has(name) || !/^\w+$/.test(name)) return null
  const refusal = findRefusal(name)
  if (refusal !== null) return `${JSON.stringify(name)} is always refused: ${refusal.message}`
  const meant = findSimilarMethod(name)
  return meant === null
    ? null
    : `${JSON.stringify(name)} is not a method, did you mean ${JSON.stringify(meant)}?`
}
