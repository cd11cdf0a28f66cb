// The leaves of one node in one go: what lies in the store side by side is read so, and whatever is not to be had that
// way is read by itself.
// Tested by src/http/path-car.test.ts
import type { CID } from 'multiformats/cid'
import { leafPrefix, leafSuffix } from '../codec/leaf-frame.ts'
import type { StoredPiece } from '../content/store.ts'
import type { BlockReader } from './blocks.ts'

export type SiblingRun = {
  /**
   * The block of `cid`, valid until the next one is asked for where it is `borrowed`. `following`: it and those that will
   * be read after it, as far as is known; asked for only when there is no run that goes on with it.
   */
  read(cid: CID, following: () => readonly CID[]): Promise<Uint8Array>
  /** Whether the block lies in memory that is used again. Only large ones do: 64 KiB and more. */
  borrowed(block: Uint8Array): boolean
  /** Ends what is being read. Safe to call at any time. */
  end(): Promise<void>
}

const lentBytesMin = 64 * 1024
const nothing = new Uint8Array(0)

export function createSiblingRun(read: BlockReader): SiblingRun {
  let pieces: AsyncGenerator<StoredPiece | null> | null = null
  let cids: readonly CID[] = []
  let next = 0
  let lent: Uint8Array | null = null
  let room = new Uint8Array(0)
  /** So many more are read by themselves: one of their run was not to be had, as when it is elsewhere. */
  let alone = 0

  async function end(): Promise<void> {
    const ending = pieces
    pieces = null
    await ending?.return(null)
  }

  /** A piece is valid until the next one is asked for, and so is what is made of it here; small ones are copied. */
  function blockOf({ data, leaf }: StoredPiece): Uint8Array {
    const prefix = leaf ? leafPrefix(data.length) : nothing
    const suffix = leaf ? leafSuffix(data.length) : nothing
    const length = prefix.length + data.length + suffix.length
    const lending = length >= lentBytesMin
    if (lending && !leaf) return (lent = data)
    if (lending && room.length < length) room = new Uint8Array(length)
    const block = lending ? room.subarray(0, length) : new Uint8Array(length)
    block.set(prefix)
    block.set(data, prefix.length)
    block.set(suffix, prefix.length + data.length)
    lent = lending ? block : null
    return block
  }

  return {
    end,
    borrowed: (block) => block === lent,
    async read(cid, following) {
      if (alone > 0) {
        alone -= 1
        return await read(cid)
      }
      if (pieces === null || cids[next]?.equals(cid) !== true) {
        await end()
        cids = following()
        next = 0
        pieces = read.leaves(cids)
      }
      next += 1
      const step = await pieces.next()
      if (step.done !== true && step.value !== null) return blockOf(step.value)
      alone = cids.length - next
      await end()
      return await read(cid)
    },
  }
}
