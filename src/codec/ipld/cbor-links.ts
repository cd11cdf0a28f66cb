// Finds the links of a dag-cbor block without decoding it. A walk needs only the links, and some blocks contain values outside
// the data model: text that is not UTF-8, keys that are not text. Such blocks can still have links.
// Rule: RFC 8949 section 3; links: https://ipld.io/specs/codecs/dag-cbor/spec/#links
// Tested by src/codec/ipld/cbor-links.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { decodeCid } from './cid.ts'
import { containersMax } from './ipld-node.ts'

/** Same limit as in Kubo. */
const depthMax = 1024
const linkTag = 42

/**
 * In order of occurrence. Throws `command_failed` for bytes that are not exactly one CBOR item: indefinite lengths, missing or
 * extra bytes; for a link that is not a CID; past 1024 levels or 100,000 links.
 */
export function cborLinks(block: Uint8Array): readonly CID[] {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  const links: CID[] = []
  /** Number of remaining items, by level. */
  const open: number[] = [1]
  let at = 0
  let isLink = false

  /** Reads the argument of the head at `at`. Inexact above 2^53, but no block is that long. */
  function argument(minor: number): number {
    if (minor < 24) return minor
    if (minor > 27) throw malformed('length left open')
    const from = at
    skip(2 ** (minor - 24))
    if (minor === 24) return view.getUint8(from)
    if (minor === 25) return view.getUint16(from)
    return minor === 26 ? view.getUint32(from) : Number(view.getBigUint64(from))
  }

  function skip(length: number): void {
    if (length > block.length - at) throw malformed('bytes missing at the end')
    at += length
  }

  function enter(items: number): void {
    if (items === 0) return
    if (open.length >= depthMax) throw malformed(`more than ${depthMax} levels`)
    open.push(items)
  }

  for (;;) {
    while (open.at(-1) === 0) open.pop()
    const level = open.length - 1
    if (level < 0) break
    open[level] = (open[level] as number) - 1
    skip(1)
    const head = block[at - 1] as number
    const value = argument(head & 0x1f)
    const from = at
    const wasLink = isLink
    isLink = false
    switch (head >> 5) {
      case 2:
        skip(value)
        if (wasLink) addLink(block.subarray(from, at))
        break
      case 3:
        skip(value)
        break
      case 4:
        enter(value)
        break
      case 5:
        enter(2 * value)
        break
      case 6:
        isLink = value === linkTag
        enter(1)
    }
  }
  if (at !== block.length) throw malformed('bytes after the end')
  return links

  function addLink(bytes: Uint8Array): void {
    const cid = bytes[0] === 0 ? decodeCid(bytes.subarray(1)) : null
    if (cid === null) throw malformed('link to an invalid cid')
    if (links.length === containersMax) throw malformed(`more than ${containersMax} links`)
    links.push(cid)
  }
}

function malformed(what: string): Fault {
  return new Fault('command_failed', { detail: `malformed dag-cbor: ${what}` })
}
