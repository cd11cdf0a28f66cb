// Answers of several upstreams made comparable: hex in lower case, members of objects in one order.
// Tested by src/ethereum/upstream/upstream-pool.test.ts

/** Deeper values are compared as they are. */
const depthMax = 32
const hex = /^0[xX][0-9a-fA-F]*$/

/** Two answers say the same when their texts are equal. */
export function normaliseAnswer(value: unknown): string {
  return JSON.stringify(normalise(value, depthMax)) ?? 'null'
}

function normalise(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return hex.test(value) ? value.toLowerCase() : value
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return value.map((one) => normalise(one, depth - 1))
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, normalise(member, depth - 1)] as const)
  // A list, so that a member named __proto__ stays a member.
  return { members }
}
