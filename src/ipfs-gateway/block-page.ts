// The HTML page of a dag-cbor or dag-json block: its values as indented text, with clickable links.
// Tested by src/ipfs-gateway/path-dag.test.ts
import { CID } from 'multiformats/cid'
import { Fault } from '../base/fault.ts'
import { decodeIpld } from '../codec/ipld/ipld.ts'
import type { IpldNode } from '../codec/ipld/ipld-node.ts'
import { escapeHtml, linkToCid, pageEnd, pageHead, type PagePath } from './html-page.ts'

export type BlockPage = {
  readonly path: PagePath
  readonly cid: CID
  readonly block: Uint8Array
  /** The format, besides raw, in which it can be downloaded. */
  readonly format: string
}

/** Maximum number of values on a page; a larger block is shown in part. */
const valuesMax = 5000
const linesAtOnce = 200
/** Maximum number of characters shown of one text or byte string. */
const shownCharsMax = 4096

/** Yields the page in pieces, so that the whole text of a large block is never in memory. */
export async function* blockPage(page: BlockPage): AsyncGenerator<Uint8Array> {
  const { path, cid, block, format } = page
  yield Buffer.from(`${pageHead('Block', path)}
<p><span class="ipfs-hash" translate="no">${cid.toString()}</span>, ${block.length} bytes.
Download as <a href="?format=${format}" download>${format}</a>,
<a href="?format=raw" download>raw block</a> or <a href="?format=car" download>CAR</a>.</p>
`)
  const root = decoded(cid, block)
  if (root === undefined) {
    yield Buffer.from('<p>The values of this block can not be shown.</p>\n')
  } else {
    yield Buffer.from('<pre>')
    let lines: string[] = []
    for (const line of linesOf(root, path)) {
      lines.push(line)
      if (lines.length < linesAtOnce) continue
      yield Buffer.from(lines.join(''))
      lines = []
    }
    yield Buffer.from(`${lines.join('')}</pre>\n`)
  }
  yield Buffer.from(pageEnd)
}

function decoded(cid: CID, block: Uint8Array): IpldNode | undefined {
  try {
    return decodeIpld(cid.code, block)
  } catch (thrown) {
    if (thrown instanceof Fault) return undefined
    throw thrown
  }
}

type Plain = null | boolean | bigint | number

type Open = {
  /** Null for a list. */
  readonly names: Iterator<string> | null
  readonly values: Iterator<IpldNode>
  readonly close: string
}

/** Each line ends with a line feed. Not recursive, because blocks may nest as deep as their bytes allow. */
function* linesOf(root: IpldNode, path: PagePath): Generator<string> {
  const open: Open[] = []
  let shown = 1
  yield `${begin(root, open, path)}\n`
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const step = top.values.next()
    if (step.done === true) {
      open.pop()
      yield `${indent(open.length)}${top.close}\n`
      continue
    }
    shown += 1
    if (shown > valuesMax) {
      yield `… only the first ${valuesMax} values are shown\n`
      return
    }
    const name = top.names?.next().value
    const label = typeof name === 'string' ? `${escapeHtml(quoted(name))}: ` : ''
    const depth = open.length
    yield `${indent(depth)}${label}${begin(step.value, open, path)}\n`
  }
}

/** The text of a value. Of a map or list only the beginning: the value is then pushed to `open`. */
function begin(node: IpldNode, open: Open[], path: PagePath): string {
  if (node instanceof CID) {
    const text = node.toString()
    return linkToCid(path, text, { text })
  }
  if (node instanceof Uint8Array) {
    const shown = Buffer.from(node.subarray(0, shownCharsMax / 2)).toString('hex')
    return `0x${shown}${node.length > shownCharsMax / 2 ? '…' : ''}`
  }
  if (node instanceof Map) {
    const map = node as ReadonlyMap<string, IpldNode>
    open.push({ names: map.keys(), values: map.values(), close: '}' })
    return '{'
  }
  if (Array.isArray(node)) {
    const list = node as readonly IpldNode[]
    open.push({ names: null, values: list.values(), close: ']' })
    return '['
  }
  return typeof node === 'string' ? escapeHtml(quoted(node)) : String(node as Plain)
}

function quoted(text: string): string {
  const cut = text.length > shownCharsMax
  return JSON.stringify(cut ? `${text.slice(0, shownCharsMax)}…` : text)
}

/** Limited, so that deep values stay visible. */
function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, 20))
}
