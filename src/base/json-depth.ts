// Checks the nesting depth of a value. Encoding a value, or sending it to another thread, uses recursion, which untrusted values
// could make too deep.
// Tested by src/beacon/beacon-client.test.ts, src/rpc/bundles/proof-bundle.test.ts

/** Checks only `levels` levels, so its own recursion is bounded. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const member of Object.values(value)) if (isNestedDeeper(member, levels - 1)) return true
  return false
}
