// Parses and normalizes content paths as clients write them, with Kubo's error texts.
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { parseCid } from '../../codec/ipld/cid.ts'

/** `ipld`: segments are members of blocks (`Links/0/Hash`) instead of directory entries. */
export type ContentPath = {
  readonly root: CID
  readonly segments: readonly string[]
  readonly ipld: boolean
}

/** The last block on a path, and the remaining segments inside it. */
export type ResolvedNode = { readonly cid: CID; readonly rest: readonly string[] }

/**
 * `roots`: the root, then the node that each segment resolves to. `passed`: every block that was read on the way, in order,
 * including shards of directories; the last node is not among them unless `rest` is not empty.
 */
export type TracedPath = ResolvedNode & {
  readonly roots: readonly CID[]
  readonly passed: readonly CID[]
}

/**
 * Parses `<cid>`, `<cid>/a`, `/ipfs/<cid>/a`, `/ipld/<cid>/a`, `ipfs://<cid>/a`, `ipfs:<cid>`; normalizes `.`, `..` and double
 * slashes. Throws `command_failed`.
 */
export function parsePath(text: string): ContentPath {
  const plain = plainPath(text)
  const segments = cleaned(plain)
  const [namespace, name, ...rest] = segments
  if (!plain.startsWith('/')) {
    const [first, ...below] = segments
    const root = first === undefined ? null : parseCid(first)
    if (root !== null) return { root, segments: below, ipld: false }
  }
  if (namespace === undefined || name === undefined) {
    throw invalid(text, 'path does not have enough components')
  }
  if (namespace !== 'ipfs' && namespace !== 'ipld') {
    throw invalid(text, `unknown namespace: ${JSON.stringify(namespace)}`)
  }
  const root = parseCid(name)
  if (root === null) throw invalid(text, `invalid cid: ${JSON.stringify(name)}`)
  return { root, segments: rest, ipld: namespace === 'ipld' }
}

/** Parts of a path `/ipns/<name>/a/b` or `ipns://<name>/a/b`, before the name is resolved. */
export type NamePath = { readonly name: string; readonly segments: readonly string[] }

/** Null: not an IPNS path. */
export function parseNamePath(text: string): NamePath | null {
  const plain = plainPath(text)
  if (!plain.startsWith('/')) return null
  const [namespace, name, ...segments] = cleaned(plain)
  return namespace === 'ipns' && name !== undefined ? { name, segments } : null
}

/** Converts a URI to a path. */
function plainPath(text: string): string {
  const uri = /^(ipfs|ipns|ipld):(\/\/)?/i.exec(text)
  return uri === null ? text : `/${(uri[1] ?? '').toLowerCase()}/${text.slice(uri[0].length)}`
}

function cleaned(path: string): string[] {
  const out: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') out.pop()
    else out.push(segment)
  }
  return out
}

function invalid(path: string, reason: string): Fault {
  const detail = `invalid path ${JSON.stringify(path)}: ${reason}`
  return new Fault('command_failed', { detail })
}
