// Decodes a block as UnixFS: raw bytes, or a dag-pb node with its UnixFS message.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { dagPbCodec, decodeCid, rawCodec } from '../../codec/ipld/cid.ts'
import { decodeDagNode, type DagLink, type DagNode } from '../../codec/ipld/dag-pb.ts'
import { decodeUnixfs, type UnixfsNode } from '../../codec/ipld/unixfs.ts'

export type FileNode =
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }
  | { readonly kind: 'unixfs'; readonly dag: DagNode; readonly unixfs: UnixfsNode }

/** Throws `command_failed`: `unknown node type` for other codecs, or a description of the malformed part. */
export function decodeNode(cid: CID, block: Uint8Array): FileNode {
  if (cid.code === rawCodec) return { kind: 'raw', bytes: block }
  if (cid.code !== dagPbCodec) throw new Fault('command_failed', { detail: 'unknown node type' })
  const dag = decodeDagNode(block)
  return { kind: 'unixfs', dag, unixfs: decodeUnixfs(dag.data ?? new Uint8Array(0)) }
}

/** The CID of a link. Throws `command_failed` if the link has no valid CID. */
export function linkCid(link: DagLink): CID {
  const cid = decodeCid(link.cid)
  if (cid === null) {
    throw new Fault('command_failed', { detail: 'malformed dag-pb node: link to an invalid cid' })
  }
  return cid
}
