// Announces provider records of this node: a single multihash by its own DHT walk, many of one region by a sweep.
// Tested by test/network/dht.test.ts, test/network/sweep.test.ts
import type { CID } from 'multiformats/cid'
import { cidOf, rawCodec } from '../../../codec/ipld/cid.ts'
import type { Dht } from './dht.ts'
import type { Sweep } from './sweep.ts'

export type RecordProvider = {
  /** Number of peers that stored the record. */
  provide(cid: CID, signal: AbortSignal): Promise<number>
  /** Returns the codes of a PROVIDED frame. `regionBits`: as in PROVIDE. Never rejects. */
  provideAll(multihashes: readonly Uint8Array[], regionBits: number): Promise<Uint8Array>
  /** Number of multihashes that at least one peer stored, and that no peer stored. */
  readonly provided: number
  readonly failures: number
}

const codes = { done: 0, notStored: 1, notOffered: 3 } as const

/** Null: the DHT is disabled. */
export function createRecordProvider(
  dht: { readonly records: Pick<Dht, 'provide'>; readonly sweep: Sweep } | null,
): RecordProvider {
  let provided = 0
  let failures = 0

  function count(stored: number): number {
    if (stored > 0) provided += 1
    else failures += 1
    return stored
  }

  async function provide(cid: CID, signal: AbortSignal): Promise<number> {
    return count(dht === null ? 0 : await dht.records.provide(cid, signal))
  }

  async function provideOne(multihash: Uint8Array): Promise<number> {
    try {
      return await provide(cidOf(1, rawCodec, multihash), new AbortController().signal)
    } catch {
      return 0
    }
  }

  return {
    provide,
    async provideAll(multihashes, regionBits) {
      if (dht === null) return new Uint8Array(multihashes.length).fill(codes.notOffered)
      const stored =
        regionBits === 0
          ? await Promise.all(multihashes.map(provideOne))
          : (await dht.sweep.announce(multihashes, regionBits)).map(count)
      return Uint8Array.from(stored, (peers) => (peers > 0 ? codes.done : codes.notStored))
    },
    get provided() {
      return provided
    },
    get failures() {
      return failures
    },
  }
}
