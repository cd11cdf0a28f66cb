// Fetches blocks that a walk will read next while it still processes others, so that a walk does not wait for a round trip per
// block. The number of blocks is limited; stored blocks are not touched.
// Tested by src/ipfs/sources/remote-files.test.ts
import type { CID } from 'multiformats/cid'
import { toBareHex } from '../../base/hex.ts'
import { identityCode } from '../../codec/ipld/multihash.ts'
import type { ContentRef } from '../../content/ref.ts'

/** Blocks of one call that are being fetched or wait to be read: of 256 KiB each, 4 MiB. */
const blocksAhead = 16
/** Expected blocks that are looked up, so that a walk over stored blocks stays cheap. */
const lookedMax = 64

export type AheadReads = ((cid: CID) => Promise<Uint8Array>) & {
  /** These blocks are likely to be read next: starts fetching the missing ones in this order, up to the limit. */
  readonly expect: (cids: Iterable<CID>) => void
  /** None of the expected blocks will be read: stops fetching. */
  readonly forget: () => void
}

/** `read`: reads one block; its signal aborts with `signal`, or when the expected blocks are forgotten. */
export function fetchAhead(parts: {
  readonly read: (cid: CID, signal: AbortSignal) => Promise<Uint8Array>
  readonly isStored: (ref: ContentRef) => Promise<boolean>
  readonly signal: AbortSignal
}): AheadReads {
  const { read, isStored, signal } = parts
  const ahead = new Map<string, Promise<Uint8Array>>()
  /** Expected blocks whose lookup is pending. */
  const looked = new Set<string>()
  let forgotten = new AbortController()
  let until = AbortSignal.any([signal, forgotten.signal])

  function readBlock(cid: CID): Promise<Uint8Array> {
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

  /** Fetches the missing blocks in order, unless a block was read or all were forgotten in the meantime. Never rejects. */
  async function look(candidates: readonly [string, CID][], until: AbortSignal): Promise<void> {
    for (const [key, cid] of candidates) {
      const isWanted = (): boolean => looked.has(key) && ahead.size < blocksAhead && !until.aborted
      // If the lookup fails, the reader of the block will report the error.
      const isLacking =
        isWanted() &&
        !(await isStored({ kind: 'dag-block', hash: cid.multihash.bytes }).catch(() => true))
      if (isLacking && isWanted()) {
        const block = read(cid, until)
        // The error is thrown where the block is read; until then it must not be an unhandled rejection.
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

  return Object.assign(readBlock, { expect, forget })
}
