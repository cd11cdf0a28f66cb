// Length of bytes after compression by FastLZ (level 1). Fees of the OP Stack since Fjord depend on it (specs.optimism.io,
// Fjord: L1-Cost fees), so it is part of the consensus, including the quirks of the first implementation.
// Tested by src/chain/rollups/op-fees.test.ts

/** Hash table: last position of each sequence of three bytes. */
const slots = 8192
/** Maximum distance of a match. */
const distanceMax = 0x1fff
/** No match begins in this many bytes at the end. */
const tail = 13
const longestMatch = 262
const longestLiterals = 32

/** Result in bytes. */
export function fastLzLength(bytes: Uint8Array): number {
  const table = new Uint32Array(slots)
  const limit = Math.max(0, bytes.length - tail)
  let length = 0
  /** Start of the bytes that are not yet compressed. */
  let done = 0
  let at = 2

  function remember(position: number): number {
    const slot = slotOf(threeAt(bytes, position))
    const before = table[slot] ?? 0
    table[slot] = position
    return before
  }

  while (at < limit) {
    const earlier = remember(at)
    const isMatch =
      at + 1 < limit &&
      at - earlier <= distanceMax &&
      threeAt(bytes, earlier) === threeAt(bytes, at)
    if (!isMatch) {
      at += 1
      continue
    }
    length += literalsLength(at - done)
    const matched = matchAt(bytes, earlier + 3, at + 3, limit + 9)
    length += matchLength(matched)
    at += matched
    remember(at)
    remember(at + 1)
    at += 2
    done = at
  }
  return length + literalsLength(bytes.length - done)
}

function threeAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)
}

function slotOf(three: number): number {
  return (Math.imul(2_654_435_769, three) >>> 19) & (slots - 1)
}

/** Length of the match of both positions, plus 1 for the first byte that differs; limited by `end`. */
function matchAt(bytes: Uint8Array, from: number, to: number, end: number): number {
  for (let count = 0; to + count < end; count += 1) {
    if (bytes[from + count] !== bytes[to + count]) return count + 1
  }
  return Math.max(0, end - to)
}

function literalsLength(count: number): number {
  const rest = count % longestLiterals
  const whole = (count - rest) / longestLiterals
  return whole * (longestLiterals + 1) + (rest === 0 ? 0 : rest + 1)
}

function matchLength(count: number): number {
  const rest = (count - 1) % longestMatch
  const whole = (count - 1 - rest) / longestMatch
  return whole * 3 + (rest >= 6 ? 3 : 2)
}
