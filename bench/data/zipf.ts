// Key popularity by Zipf's law: the key of rank n is read with weight 1/n. The same in every run.

/** `count` indexes below `keys`, with popular keys scattered among the others. */
export function zipfPicks(keys: number, count: number): readonly number[] {
  const bounds: number[] = []
  let total = 0
  for (let rank = 1; rank <= keys; rank++) bounds.push((total += 1 / rank))
  const next = createRandom(1)
  return Array.from({ length: count }, () => {
    const rank = firstAbove(bounds, next() * total)
    // 7919 is a prime, so indexes do not collide.
    return (rank * 7919) % keys
  })
}

function firstAbove(bounds: readonly number[], value: number): number {
  let low = 0
  let high = bounds.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((bounds[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}

/** Pseudorandom numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
