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
  readonly isHere: (ref: ContentRef) => boolean
  readonly signal: AbortSignal
}): AheadReads {
  const { read, isHere, signal } = parts
  const ahead = new Map<string, Promise<Uint8Array>>()
  let forgotten = new AbortController()
  let until = AbortSignal.any([signal, forgotten.signal])

  function take(cid: CID): Promise<Uint8Array> {
    const key = toBareHex(cid.multihash.bytes)
    const early = ahead.get(key)
    ahead.delete(key)
    return early ?? read(cid, signal)
  }

  function expect(cids: Iterable<CID>): void {
    if (ahead.size >= blocksAhead) return
    let looked = 0
    for (const cid of cids) {
      looked += 1
      if (looked > lookedMax) return
      const key = toBareHex(cid.multihash.bytes)
      const isKnown = cid.multihash.code === identityCode || ahead.has(key)
      if (isKnown || isHere({ kind: 'dag-block', hash: cid.multihash.bytes })) continue
      const block = read(cid, until)
      // A failure is thrown where the block is read; until then it must not count as unhandled.
      block.catch(() => undefined)
      ahead.set(key, block)
      if (ahead.size >= blocksAhead) return
    }
  }

  function forget(): void {
    ahead.clear()
    forgotten.abort()
    forgotten = new AbortController()
    until = AbortSignal.any([signal, forgotten.signal])
  }

  return Object.assign(take, { expect, forget })
}
