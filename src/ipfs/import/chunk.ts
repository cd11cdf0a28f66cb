// Cuts a byte stream into chunks, by a fixed size or where the content says. Holds one chunk at most; the rules
// are Kubo's, as another cut is another CID.
// Tested by src/ipfs/import/chunk.test.ts
import { createYielder, type Yielder } from '../../base/yielder.ts'
import { buzhashBounds, createBuzhash } from './chunk-buzhash.ts'
import { createRabin, type RabinBounds } from './chunk-rabin.ts'
import type { BoundaryFinder } from './boundary-finder.ts'

/** How a file is cut. `bytes`: of each chunk but the last. Validated in kubo/params/import-options.ts. */
export type Chunker =
  | { readonly kind: 'size'; readonly bytes: number }
  | ({ readonly kind: 'rabin' } & RabinBounds)
  | { readonly kind: 'buzhash' }

const firstBytes = 65536
/** What is looked at before other work gets a turn: about 3 ms at some 150 MB/s. */
export const turnBytes = 512 * 1024

/**
 * Fresh arrays, together the whole stream; none for an empty stream. What the source hands over is copied at
 * once, so it may reuse its buffers. `spend`: of a turn of `turnBytes`.
 */
export function chunksOf(
  source: AsyncIterable<Uint8Array>,
  chunker: Chunker,
  yieldAfter: Yielder = createYielder(turnBytes),
): AsyncGenerator<Uint8Array> {
  if (chunker.kind === 'size') {
    return cutChunks(source, createSizeCut(chunker.bytes), chunker.bytes)
  }
  return chunker.kind === 'rabin'
    ? cutChunks(turnsOf(source, yieldAfter), createRabin(chunker), chunker.max)
    : cutChunks(turnsOf(source, yieldAfter), createBuzhash(), buzhashBounds.max)
}

/** `bytesMax`: what no chunk passes. */
async function* cutChunks(
  source: AsyncIterable<Uint8Array>,
  finder: BoundaryFinder,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let held = new Uint8Array(0)
  let filled = 0
  let several = false
  for await (const piece of source) {
    let at = 0
    while (at < piece.length) {
      const rest = piece.subarray(at)
      const cut = finder.find(rest)
      const take = cut ?? rest.length
      if (filled + take > held.length)
        held = grown(held, filled, several ? bytesMax : filled + take, bytesMax)
      held.set(rest.subarray(0, take), filled)
      filled += take
      at += take
      if (cut !== null) {
        yield held.subarray(0, filled)
        held = new Uint8Array(0)
        filled = 0
        several = true
      }
    }
  }
  if (filled > 0) yield held.slice(0, filled)
}

function createSizeCut(size: number): BoundaryFinder {
  let left = size
  return {
    find(bytes) {
      if (bytes.length < left) {
        left -= bytes.length
        return null
      }
      const cut = left
      left = size
      return cut
    },
  }
}

/** The same bytes in pieces of at most one turn, and a turn for others between them. */
async function* turnsOf(
  source: AsyncIterable<Uint8Array>,
  yieldAfter: Yielder,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    for (let at = 0; at < piece.length; at += turnBytes) {
      const part = piece.subarray(at, at + turnBytes)
      yield part
      const turn = yieldAfter(part.length)
      if (turn !== null) await turn
    }
  }
}

/**
 * Doubles, so that a small file costs little and many tiny pieces cost no more than the bytes. The caller asks for
 * all of it from the second chunk on: what doubling leaves behind would be most of an upload's garbage.
 */
function grown(
  held: Uint8Array,
  filled: number,
  needed: number,
  bytesMax: number,
): Uint8Array<ArrayBuffer> {
  const target = Math.min(bytesMax, Math.max(needed, held.length * 2, firstBytes))
  const larger = new Uint8Array(Buffer.allocUnsafeSlow(target).buffer)
  larger.set(held.subarray(0, filled))
  return larger
}
