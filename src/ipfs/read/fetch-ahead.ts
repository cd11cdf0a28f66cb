// Blocks that a walk will come to are fetched while it is still at others, so that the way to a source is not waited
// for block by block. Bounded in blocks; what is here already costs nothing and is not touched.
// Tested by src/ipfs/sources/remote-files.test.ts
import type { CID } from 'multiformats/cid'
import { toBareHex } from '../../base/hex.ts'
import { identityCode } from '../../codec/ipld/multihash.ts'
import type { ContentRef } from '../../content/ref.ts'

/** Of one call, on their way or waiting to be read: of 256 KiB each, 4 MiB. */
const blocksAhead = 16
/** Expected blocks that are looked at, so that a walk over what is here stays cheap. */
const lookedMax = 64

export type AheadReads = ((cid: CID) => Promise<Uint8Array>) & {
  /** These are likely to be read next: begins to fetch what is not here, so many at most, in this order. */
  readonly expect: (cids: Iterable<CID>) => void
  /** None of them will be read: stops fetching. */
  readonly forget: () => void
}

/** `read`: one block; the signal given to it aborts with `signal`, or when what was expected is forgotten. */
export function fetchAhead(parts: {
  readonly read: (cid: CID, signal: AbortSignal) => Promise<Uint8Array>
  readonly isHere: (ref: ContentRef) => Promise<boolean>
  readonly signal: AbortSignal
}): AheadReads {
  const { read, isHere, signal } = parts
  const ahead = new Map<string, Promise<Uint8Array>>()
  /** Expected blocks that are looked up now. */
  const looked = new Set<string>()
  let forgotten = new AbortController()
  let until = AbortSignal.any([signal, forgotten.signal])

  function take(cid: CID): Promise<Uint8Array> {
    const key = toBareHex(cid.multihash.bytes)
    const early = ahead.get(key)
    ahead.delete(key)
    looked.delete(key)
    return early ?? read(cid, signal)
  }

  function expect(cids: Iterable<CID>): void {
    if (ahead.size >= blocksAhead || looked.size >= lookedMax) return
    const candidates: [string, CID][] = []
    let steps = 0
    for (const cid of cids) {
      steps += 1
      if (steps > lookedMax) break
      const key = toBareHex(cid.multihash.bytes)
      if (cid.multihash.code === identityCode || ahead.has(key) || looked.has(key)) continue
      looked.add(key)
      candidates.push([key, cid])
    }
    void look(candidates, until)
  }

  /** Fetches those that are not here, in order, unless one was read or all were forgotten meanwhile. Never rejects. */
  async function look(candidates: readonly [string, CID][], until: AbortSignal): Promise<void> {
    for (const [key, cid] of candidates) {
      const isWanted = (): boolean => looked.has(key) && ahead.size < blocksAhead && !until.aborted
      // One that cannot be looked up is left to its reader.
      const isLacking =
        isWanted() &&
        !(await isHere({ kind: 'dag-block', hash: cid.multihash.bytes }).catch(() => true))
      if (isLacking && isWanted()) {
        const block = read(cid, until)
        // A failure is thrown where the block is read; until then it must not count as unhandled.
        block.catch(() => undefined)
        ahead.set(key, block)
      }
      if (!until.aborted) looked.delete(key)
    }
  }

  function forget(): void {
    ahead.clear()
    looked.clear()
    forgotten.abort()
    forgotten = new AbortController()
    until = AbortSignal.any([signal, forgotten.signal])
  }

  return Object.assign(take, { expect, forget })
}
