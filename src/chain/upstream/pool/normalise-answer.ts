// Answers of several upstreams made comparable: hex in lower case, members of objects in one order.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts

/** Answers nested deeper than the calls of a trace can be are not compared. */
const depthMax = 2048
const hex = /^0[xX][0-9a-fA-F]*$/

/** Two answers are equal if their texts are. Null for an answer that is nested too deeply to compare. */
export function normaliseAnswer(value: unknown): string | null {
  try {
    return JSON.stringify(normalise(value, depthMax)) ?? 'null'
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function normalise(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return hex.test(value) ? value.toLowerCase() : value
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) throw new RangeError(`nested deeper than ${depthMax}`)
  if (Array.isArray(value)) return value.map((one) => normalise(one, depth - 1))
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, normalise(member, depth - 1)] as const)
  // An array, so that a member named __proto__ remains a member.
  return { members }
}
