// Accounts for the memory of unfinished directories of an upload: their entries, packed into a tenth of the memory of CID objects,
// and a limit on their sum for each upload and for all uploads.
// Tested by src/ipfs/import/import.test.ts
import type { DagLink } from '../../codec/ipld/dag-pb.ts'
import { encodeVarint } from '../../codec/ipld/protobuf.ts'
import { toLatin1 } from '../../base/hex.ts'
import type { Built } from './built.ts'
import { Fault } from '../../base/fault.ts'

/** Size as a varint, then the binary CID, each byte one character. */
export type PackedChild = string

export type NamedChild = { readonly name: string; readonly packed: PackedChild }

export function packChild({ cid, size }: Built): PackedChild {
  return toLatin1(Buffer.concat([encodeVarint(size), cid.bytes]))
}

export function linkOf({ name, packed }: NamedChild): DagLink {
  const end = endOfSize(packed)
  let size = 0n
  for (let at = end - 1; at >= 0; at -= 1) {
    size = (size << 7n) | BigInt(packed.charCodeAt(at) & 0x7f)
  }
  return { cid: Buffer.from(packed.slice(end), 'latin1'), name, size }
}

/** Bytes of the name and the CID, without framing. */
export function linkBytes({ name, packed }: NamedChild): number {
  return Buffer.byteLength(name) + packed.length - endOfSize(packed)
}

function endOfSize(packed: PackedChild): number {
  let end = 1
  while (packed.charCodeAt(end - 1) >= 0x80) end += 1
  return end
}

/**
 * Memory in bytes, measured on V8, of an entry without its name (an entry of a map with two strings), of a folder, and of a
 * finished root.
 */
const fileBytes = 160
const folderBytes = 512
const rootBytes = 1024

export interface FolderMemory {
  /** Counts an entry of that name in a folder. */
  file(name: string): void
  /** Counts a folder; `path`: its full path, which the reply contains. */
  folder(path: string): void
  /** Counts a finished root until the commit. */
  root(): void
  /** Called when all roots are committed. */
  rootsCommitted(): void
}

/** Each method throws `too_large` if the sum exceeds `bytesMax`. */
export function createFolderMemory(bytesMax: number): FolderMemory {
  let bytes = 0
  let roots = 0

  function take(more: number): void {
    bytes += more
    if (bytes + roots * rootBytes <= bytesMax) return
    const detail = `folders of the request take more than ${bytesMax} bytes of memory (files.folderBytesMax)`
    throw new Fault('too_large', { detail })
  }

  return {
    file: (name) => take(fileBytes + name.length),
    folder: (path) => take(folderBytes + path.length),
    root() {
      roots += 1
      take(0)
    },
    rootsCommitted() {
      roots = 0
    },
  }
}
