// Reads one block from its segment, synchronously and not verified. What the index says is believed as far as memory goes: a
// corrupt row gives bytes that no hash proves, never an endless buffer.
// Tested by src/content/segments/segment-store.test.ts
import { leafPrefix, leafSuffix } from '../../codec/ipld/leaf-frame.ts'
import { verbatim, type BlockPlace } from './block-index.ts'
import type { OpenFiles } from './open-files.ts'

/** Gives an array of so many bytes, whatever they are. */
export type SlabAllocator = (bytes: number) => Uint8Array

const pieceBytes = 64 * 1024
/** A larger block has memory of its own. */
const sharedBytesMax = 8 * 1024

/**
 * Many small blocks lie in one piece, because a piece for each costs more than reading 4 KiB into it. No piece is used again: a
 * block that is in use keeps its neighbours in memory.
 */
export function createSlabAllocator(): SlabAllocator {
  let piece: ArrayBufferLike = new ArrayBuffer(0)
  let used = 0
  return (bytes) => {
    if (bytes > sharedBytesMax) return allocateOwn(bytes)
    if (used + bytes > piece.byteLength) {
      piece = Buffer.allocUnsafeSlow(pieceBytes).buffer
      used = 0
    }
    const room = new Uint8Array(piece, used, bytes)
    used += bytes
    return room
  }
}

function allocateOwn(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)
}

/** No block is larger, so a row that says so is spoilt. */
export const storedBytesMax = 16 * 1024 * 1024

/** Fewer bytes when the file has fewer. Throws what the system says of a file that cannot be read. */
export function readBlock(
  files: Pick<OpenFiles, 'readNow'>,
  { file, at, bytes, form }: BlockPlace,
  room: SlabAllocator = allocateOwn,
): Uint8Array {
  if (!(bytes >= 0 && bytes <= storedBytesMax && at >= 0)) return new Uint8Array(0)
  if (form === verbatim) {
    const block = room(bytes)
    const got = files.readNow(file, block, at)
    return got < bytes ? block.subarray(0, got) : block
  }
  const prefix = leafPrefix(bytes)
  const suffix = leafSuffix(bytes)
  const block = room(prefix.length + bytes + suffix.length)
  const data = block.subarray(prefix.length, prefix.length + bytes)
  const got = files.readNow(file, data, at)
  if (got < bytes) return data.subarray(0, got)
  block.set(prefix)
  block.set(suffix, prefix.length + bytes)
  return block
}
