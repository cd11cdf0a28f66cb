// Finds out, while the blocks of a CAR are read, whether they are exactly one complete DAG. If so, its root is pinned in the commit
// that stores the blocks, without reading them again. Memory is bounded; past the bound the result is unknown.
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { identityCode } from '../../codec/ipld/multihash.ts'
import { linkless, linksOf } from '../read/links.ts'

export interface CarClosure {
  /** Adds a block that was verified against its CID. All blocks are added before `isAllBelow` is called. */
  add(cid: CID, block: Uint8Array): void
  /** True: the added blocks are exactly those below `root`. False: they are not, or the result is unknown. */
  isAllBelow(root: CID): boolean
}

const seen = 1
const linked = 2

/** `entriesMax`: distinct blocks and links; each takes some hundred bytes. */
export function createCarClosure(entriesMax: number): CarClosure {
  let isTracking = true
  const entries = new Map<string, number>()

  function mark(key: string, flag: number): void {
    entries.set(key, (entries.get(key) ?? 0) | flag)
    if (entries.size > entriesMax) stopTracking()
  }

  function stopTracking(): void {
    isTracking = false
    entries.clear()
  }

  function follow(cid: CID, block: Uint8Array): void {
    for (const link of linksOf(cid, block)) {
      if (link.cid.multihash.code !== identityCode) mark(keyOf(link.cid), linked)
      // An identity CID contains its block, which may have links itself. This is rare, so the later walk handles it.
      else if (!linkless.includes(link.cid.code)) stopTracking()
      if (!isTracking) return
    }
  }

  return {
    add(cid, block) {
      if (!isTracking) return
      mark(keyOf(cid), seen)
      try {
        follow(cid, block)
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown
        stopTracking()
      }
    },
    isAllBelow(root) {
      const rootKey = keyOf(root)
      if (!isTracking || !entries.has(rootKey)) return false
      // A DAG has no cycles, so following links upwards from any block ends at a block without a parent.
      for (const [key, flags] of entries) {
        if (flags !== (key === rootKey ? seen : seen | linked)) return false
      }
      return true
    },
  }
}

/** Includes the codec: the same bytes have other links under another codec. */
function keyOf({ code, multihash }: CID): string {
  return `${code}:${Buffer.from(multihash.bytes).toString('latin1')}`
}
