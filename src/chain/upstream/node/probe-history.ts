// How far back an upstream has something: a binary search over ages of blocks, from the head down to the block after
// genesis (verification.md 2.2). Genesis itself says nothing: pruned nodes keep it.
// Tested by src/chain/upstream/node/probe.test.ts
import { UpstreamError } from './upstream-error.ts'
import type { HistoryDepth, HistoryKind } from './history-depth.ts'

/** Does it have this of block `number`? Throws UpstreamError when it could not be asked. */
export type Holds = (kind: HistoryKind, number: bigint) => Promise<boolean>

/** The windows that clients have by default, and then powers of two. */
const knownAges: readonly bigint[] = [0n, 1n, 64n, 127n, 128n, 511n, 1000n]
const firstPower = 1024n
const powersMax = 40

/** Undefined when the search could not be ended: what was known before stays. */
export async function probeHistory(
  kind: HistoryKind,
  head: bigint,
  holds: Holds,
): Promise<HistoryDepth | undefined> {
  const ages = agesBelow(head)
  const has = async (index: number): Promise<boolean> => {
    const age = ages[index]
    return age !== undefined && (await holds(kind, head - age))
  }
  try {
    if (!(await has(0))) return 'none'
    if (await has(ages.length - 1)) return 'all'
    let good = 0
    let bad = ages.length - 1
    while (bad - good > 1) {
      const middle = (good + bad) >> 1
      if (await has(middle)) good = middle
      else bad = middle
    }
    const age = ages[good] ?? 0n
    return kind === 'body' || kind === 'receipts' ? { from: head - age } : { age }
  } catch (error) {
    if (error instanceof UpstreamError) return undefined
    throw error
  }
}

/** Ascending; the last is that of block 1, or of genesis when there is no other. */
function agesBelow(head: bigint): readonly bigint[] {
  const last = head > 1n ? head - 1n : head
  const powers = Array.from({ length: powersMax }, (_, power) => firstPower << BigInt(power))
  const ages = [...knownAges, ...powers].filter((age) => age < last)
  return [...ages, last]
}
