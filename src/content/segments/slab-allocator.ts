// Memory for small blocks that are read one by one: many lie in one piece, because a piece for each costs more than
// reading 4 KiB into it. It is never used again: who keeps a block keeps its neighbours.
// Tested by src/content/segments/segment-files.test.ts

/** Gives an array of so many bytes, whatever they are. */
export type SlabAllocator = (bytes: number) => Uint8Array

const pieceBytes = 64 * 1024
/** A larger block has memory of its own. */
const sharedBytesMax = 8 * 1024

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

export function allocateOwn(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)
}
