// How deep objects and lists lie in each other. Encoding a value, or sending it to another thread, goes through it by
// recursion, which foreign values could make too deep.
// Tested by src/beacon/beacon-client.test.ts, src/rpc/bundles/proof-bundle.test.ts

/** Looks no further than `levels`, so it never runs out of stack itself. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const member of Object.values(value)) if (isNestedDeeper(member, levels - 1)) return true
  return false
}
