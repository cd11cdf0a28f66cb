// One block from its segment, at once and not verified. What the index says is believed as far as memory goes: a
// spoilt row gives bytes that no hash proves, never an endless buffer.
// Tested by src/content/segments/segment-store.test.ts
import { leafPrefix, leafSuffix } from '../../codec/leaf-frame.ts'
import { verbatim, type BlockPlace } from './block-index.ts'
import { allocateOwn, type SlabAllocator } from './slab-allocator.ts'
import type { OpenFiles } from './open-files.ts'

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
