// Stat of a UnixFS node, from its root block alone.
// Tested by src/kubo/commands/files/listings.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import type { NodeStat } from './listed.ts'
import { decodeNode } from './node.ts'
import { fileShape } from './read-file.ts'

/** Throws `command_failed` for codecs and nodes that are not UnixFS, and for inconsistent sizes. */
export function nodeStat(cid: CID, block: Uint8Array): NodeStat {
  const node = decodeNode(cid, block)
  const plain = { target: '', mode: null, mtime: null }
  const length = BigInt(block.length)
  if (node.kind === 'raw') {
    return { kind: 'file', size: length, cumulativeSize: length, links: 0, ...plain }
  }
  const { type, data, mode, mtime } = node.unixfs
  const { links } = node.dag
  const cumulativeSize = links.reduce((sum, link) => sum + link.size, length)
  const shown = { cumulativeSize, links: links.length, target: '', mode, mtime }
  if (type === 'directory' || type === 'hamt') return { kind: 'directory', size: 0n, ...shown }
  if (type === 'symlink') {
    const target = Buffer.from(data ?? new Uint8Array(0))
    return { kind: 'symlink', size: BigInt(target.length), ...shown, target: target.toString() }
  }
  if (type === 'metadata') throw new Fault('command_failed', { detail: 'unknown node type' })
  return { kind: 'file', size: fileShape(cid, block).size, ...shown }
}
