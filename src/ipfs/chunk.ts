// Cuts a byte stream into pieces of exactly N bytes (the last may be shorter). Holds one piece at most.
// Tested by src/ipfs/import.test.ts

const firstBytes = 65536

/**
 * Fresh arrays of `size` bytes, the last one shorter; none for an empty stream. What the source hands over
 * is copied at once, so it may reuse its buffers.
 */
export async function* chunksOf(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let held = new Uint8Array(0)
  let filled = 0
  let several = false
  for await (const piece of source) {
    let at = 0
    while (at < piece.length) {
      const take = Math.min(size - filled, piece.length - at)
      if (filled + take > held.length)
        held = grown(held, filled, several ? size : filled + take, size)
      held.set(piece.subarray(at, at + take), filled)
      filled += take
      at += take
      if (filled === size) {
        yield held.subarray(0, size)
        held = new Uint8Array(0)
        filled = 0
        several = true
      }
    }
  }
  if (filled > 0) yield held.slice(0, filled)
}

/**
 * Doubles, so that a small file costs little and many tiny pieces cost no more than the bytes. The caller asks for
 * all of it from the second piece on: what doubling leaves behind would be most of an upload's garbage.
 */
function grown(
  held: Uint8Array,
  filled: number,
  needed: number,
  size: number,
): Uint8Array<ArrayBuffer> {
  const target = Math.min(size, Math.max(needed, held.length * 2, firstBytes))
  const larger = new Uint8Array(Buffer.allocUnsafeSlow(target).buffer)
  larger.set(held.subarray(0, filled))
  return larger
}
