// Blocks that peers request, read by the net thread through its own connection: only public blocks, each verified. Private, denied,
// corrupt and absent blocks get the same reply.
// Tested by src/ipfs/network/peer-blocks.test.ts
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import { decodeMultihash, identityCode } from '../../codec/ipld/multihash.ts'
import { readBlock } from '../../content/segments/find-blocks.ts'
import { createOpenFiles } from '../../content/segments/open-files.ts'
import { openSegmentFolder } from '../../content/segments/segment-folder.ts'
import { createSystemFiles } from '../../content/system-files.ts'
import { type Database, openDatabase } from '../../db/sqlite.ts'
import { findPlace } from '../../tables/blocks.ts'
import { blockBytesMax } from './net-frames.ts'

export type PeerBlocks = {
  /** Reads only an index. */
  isPublic(multihash: Uint8Array): boolean
  /** Size of the block in bytes; null: it is not stored. */
  sizeOf(multihash: Uint8Array): number | null
  /** The block, with its own ArrayBuffer. Null: it is not stored, or corrupt. */
  read(multihash: Uint8Array): Uint8Array | null
  /** Closes the open segments, so that the disk space of removed ones is released. */
  closeFiles(): Promise<void>
  close(): Promise<void>
}

const openFilesMax = 32

export function openPeerBlocks(parts: {
  readonly databasePath: string
  readonly storePath: string
  /** Whether a block of that multihash may be sent to peers. */
  readonly isPublic: (db: Database, multihash: Uint8Array) => boolean
}): PeerBlocks {
  const db = openDatabase(parts.databasePath, { readOnly: true })
  const ops = createSystemFiles()
  const folder = openSegmentFolder({
    ops,
    path: parts.storePath,
    bytesMax: null,
    otherBytes: () => 0,
  })
  const files = createOpenFiles({ ops, pathOf: folder.pathOf, filesMax: openFilesMax })

  function readOnce(multihash: Uint8Array): Uint8Array | null {
    const place = findPlace(db, multihash)
    if (place === null || place.size > blockBytesMax) return null
    try {
      const bytes = readBlock(files, place)
      verifyDagBlock(multihash, bytes)
      return bytes
    } catch {
      files.forget(place.file)
      return null
    }
  }

  return {
    isPublic: (multihash) => isServed(multihash) && parts.isPublic(db, multihash),
    sizeOf: (multihash) => findPlace(db, multihash)?.size ?? null,
    read(multihash) {
      // The block may have moved: garbage collection copies blocks to other segments.
      const found = readOnce(multihash)
      if (found !== null) return found
      db.forgetPages()
      return readOnce(multihash)
    },
    closeFiles: () => files.close(),
    async close() {
      await files.close()
      db.close()
    },
  }
}

function isServed(multihash: Uint8Array): boolean {
  try {
    return decodeMultihash(multihash).code !== identityCode
  } catch {
    return false
  }
}
