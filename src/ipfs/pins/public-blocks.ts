// Determines which blocks are public: those below a pin whose account, key and own setting make it public. One rule for the IPFS
// network and for gateway requests without a key. Unpinning, a narrower setting and a deny rule end access immediately.
// Tested by src/ipfs/pins/public-blocks.test.ts
import { toLatin1 } from '../../base/hex.ts'
import type { Rows } from '../../db/rows.ts'
import { findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import { findPublic } from '../../tables/network/public-blocks.ts'

export type PublicBlocks = {
  /** Synchronous with a local database. False for private, denied and absent blocks alike. */
  isPublic(multihash: Uint8Array): boolean | Promise<boolean>
  /** In the order of `multihashes`. */
  arePublic(multihashes: readonly Uint8Array[]): readonly boolean[] | Promise<readonly boolean[]>
}

export type PublicBlocksParts = {
  readonly rows: Pick<Rows, 'find'>
  /** The database of `rows`, for synchronous reads; null: it is remote. */
  readonly db: Database | null
  /** Pins of accounts without a card are not public. */
  readonly needsCard: () => boolean
  /** Whether a deny rule for the CID applies; absent: the caller checks deny rules. */
  readonly isDenied?: (multihash: Uint8Array) => boolean
}

/** Hashes of one query. */
const hashesAtOnce = 256

export function createPublicBlocks(parts: PublicBlocksParts): PublicBlocks {
  const { rows, db, needsCard, isDenied = () => false } = parts

  async function find(multihashes: readonly Uint8Array[]): Promise<readonly boolean[]> {
    const found = new Set<string>()
    for (let at = 0; at < multihashes.length; at += hashesAtOnce) {
      const some = multihashes.slice(at, at + hashesAtOnce)
      for (const { hash } of await rows.find(findPublic(some, needsCard()))) {
        found.add(toLatin1(hash))
      }
    }
    return multihashes.map((hash) => found.has(toLatin1(hash)) && !isDenied(hash))
  }

  const isPublicIn = (local: Database, multihash: Uint8Array): boolean =>
    !isDenied(multihash) && findOne(local, findPublic([multihash], needsCard())) !== null

  return {
    isPublic(multihash) {
      if (db !== null) return isPublicIn(db, multihash)
      return find([multihash]).then(([isOne = false]) => isOne)
    },
    arePublic(multihashes) {
      if (db !== null) return multihashes.map((multihash) => isPublicIn(db, multihash))
      return find(multihashes)
    },
  }
}
