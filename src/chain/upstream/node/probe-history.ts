// Finds the history depth of an upstream: a binary search over ages of blocks, from the head to the block after genesis. Genesis
// itself proves nothing, because pruned nodes store it.
// Tested by src/chain/upstream/node/probe.test.ts
import { UpstreamError } from './upstream-error.ts'
import type { HistoryDepth, HistoryKind } from './history-depth.ts'

/** Whether it has this data of block `number`. Throws UpstreamError if the request failed. */
export type HasData = (kind: HistoryKind, number: bigint) => Promise<boolean>

/** The default windows of clients, then powers of two. */
const knownAges: readonly bigint[] = [0n, 1n, 64n, 127n, 128n, 511n, 1000n]
const firstPower = 1024n
const powersMax = 40

/** Undefined if the search could not finish; then the previous result stays. */
export async function probeHistory(
  kind: HistoryKind,
  head: bigint,
  hasData: HasData,
): Promise<HistoryDepth | undefined> {
  const ages = agesBelow(head)
  const has = async (index: number): Promise<boolean> => {
    const age = ages[index]
    return age !== undefined && (await hasData(kind, head - age))
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

/** Ascending; the last is the age of block 1, or of genesis if there is no other block. */
function agesBelow(head: bigint): readonly bigint[] {
  const last = head > 1n ? head - 1n : head
  const powers = Array.from({ length: powersMax }, (_, power) => firstPower << BigInt(power))
  const ages = [...knownAges, ...powers].filter((age) => age < last)
  return [...ages, last]
}
