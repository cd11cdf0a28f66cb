// Whether the blocks of a CAR are one whole DAG and nothing else, found out while they pass: then its root is pinned in
// the commit that keeps them, and nothing is read a second time. Bounded in memory; past that it is not known.
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { identityCode } from '../../codec/ipld/multihash.ts'
import { linkless, linksOf } from '../read/links.ts'

export interface CarClosure {
  /** A block that is what its CID says, to be added before the answer is read. */
  add(cid: CID, block: Uint8Array): void
  /** True: the blocks added are those below `root` and no others. False: they are not, or it is not known. */
  isAllBelow(root: CID): boolean
}

const seen = 1
const linked = 2

/** `entriesMax`: distinct blocks and links; each takes some hundred bytes. */
export function createCarClosure(entriesMax: number): CarClosure {
  let known = true
  const entries = new Map<string, number>()

  function mark(key: string, flag: number): void {
    entries.set(key, (entries.get(key) ?? 0) | flag)
    if (entries.size > entriesMax) giveUp()
  }

  function giveUp(): void {
    known = false
    entries.clear()
  }

  function follow(cid: CID, block: Uint8Array): void {
    for (const link of linksOf(cid, block)) {
      if (link.cid.multihash.code !== identityCode) mark(keyOf(link.cid), linked)
      // Such a block lies in its CID and may have links itself: rare, so left to the walk.
      else if (!linkless.includes(link.cid.code)) giveUp()
      if (!known) return
    }
  }

  return {
    add(cid, block) {
      if (!known) return
      mark(keyOf(cid), seen)
      try {
        follow(cid, block)
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown
        giveUp()
      }
    },
    isAllBelow(root) {
      const rootKey = keyOf(root)
      if (!known || !entries.has(rootKey)) return false
      // No DAG has a cycle. So from a block that another links to, the way up ends at one without a parent.
      for (const [key, flags] of entries) {
        if (flags !== (key === rootKey ? seen : seen | linked)) return false
      }
      return true
    },
  }
}

/** By codec too: the same bytes under another codec have other links. */
function keyOf({ code, multihash }: CID): string {
  return `${code}:${Buffer.from(multihash.bytes).toString('latin1')}`
}
