// Content that this server must not serve, by CID or by the hash of CID and path, as operators pass such lists
// on. Blocks are compared by multihash, so that no other spelling of a CID gets around it.
// Form: https://specs.ipfs.tech/ipips/ipip-0383/ (blocks, paths and sha2-256 double hashes of it)
import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { CID } from 'multiformats/cid'
import { toBareHex } from '../base/hex.ts'
import { parseCid } from '../codec/ipld/cid.ts'

export type DenyList = {
  /** Is the content of `cid`, or of the path below it, on the list? */
  denies(cid: CID, segments?: readonly string[]): boolean
  readonly entries: number
  /** Lines that say nothing this server understands: they deny nothing. */
  readonly unread: readonly number[]
}

/** Most lines that take part; more is a mistake in the list. */
export const denyLinesMax = 1_000_000
const unreadMax = 20
/** How many lines may be read before other work gets a turn. */
const turnLines = 4096

export const emptyDenyList: DenyList = { denies: () => false, entries: 0, unread: [] }

/**
 * One entry a line: `<cid>`, `/ipfs/<cid>`, `/ipfs/<cid>/*` (all the same), `/ipfs/<cid>/path` (that path, with a `*`
 * at its end all that begins so), `//<sha2-256 of "<cid v1 in base32>/<path>", hex>`. Empty lines, lines that begin
 * with `#`, and a head that ends in `---` are passed over. Throws RangeError past `denyLinesMax` lines.
 */
export async function parseDenyList(text: string): Promise<DenyList> {
  const lines = text.split(/\r?\n/)
  if (lines.length > denyLinesMax) {
    throw new RangeError(`a deny list has at most ${denyLinesMax} lines, this one ${lines.length}`)
  }
  const head = lines.indexOf('---')
  const blocks = new Set<string>()
  const hashes = new Set<string>()
  const paths = new Map<string, { readonly path: string; readonly begins: boolean }[]>()
  const unread: number[] = []
  for (let at = head + 1; at < lines.length; at++) {
    if (at % turnLines === 0) await setImmediate()
    const line = (lines[at] ?? '').trim()
    if (line === '' || line.startsWith('#')) continue
    const hashed = /^\/\/([0-9a-f]{64})$/i.exec(line)?.[1]
    if (hashed !== undefined) {
      hashes.add(hashed.toLowerCase())
      continue
    }
    const [, name = '', below = ''] = /^(?:\/ipfs\/)?([^/\s]+)(?:\/(\S*))?/.exec(line) ?? []
    const cid = parseCid(name)
    if (cid === null) {
      if (unread.length < unreadMax) unread.push(at + 1)
      continue
    }
    const key = keyOf(cid)
    if (below === '' || below === '*') blocks.add(key)
    else {
      const begins = below.endsWith('*')
      const path = begins ? below.slice(0, -1) : below
      const known = paths.get(key)
      if (known === undefined) paths.set(key, [{ path, begins }])
      else known.push({ path, begins })
    }
  }
  let entries = blocks.size + hashes.size
  for (const list of paths.values()) entries += list.length
  return {
    entries,
    unread,
    denies(cid, segments = []) {
      if (entries === 0) return false
      const key = keyOf(cid)
      if (blocks.has(key)) return true
      const path = segments.join('/')
      if (hashes.size > 0 && hashes.has(hashedName(cid, path))) return true
      const denied = paths.get(key)
      if (denied === undefined || path === '') return false
      return denied.some((each) => (each.begins ? path.startsWith(each.path) : path === each.path))
    },
  }
}

function keyOf(cid: CID): string {
  return toBareHex(cid.multihash.bytes)
}

function hashedName(cid: CID, path: string): string {
  return hash('sha256', `${cid.toV1().toString()}/${path}`, 'hex')
}
