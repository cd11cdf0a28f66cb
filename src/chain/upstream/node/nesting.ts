// How deep a JSON value is nested: what is nested too deep can be read, but not written again.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts

/** Of what is handed on. A trace of calls has two levels for each of at most 1025 calls. */
export const relayedLevelsMax = 3_000

/** Looks no further than `levels`, so it never runs out of stack itself. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const member of Object.values(value)) if (isNestedDeeper(member, levels - 1)) return true
  return false
}
