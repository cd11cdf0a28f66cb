// A proof bundle as the stack of stones that it is: each piece, its hash worked out here, and where that hash stands in
// a piece before it. The first is the block's header, whose hash is the block's. No step believes what the bundle says.
import { toHex } from '../../src/base/hex.ts'
import { decodeHeader, type Header } from '../../src/codec/header.ts'
import { decodeTrieNode, type TrieNode } from '../../src/codec/trie-node.ts'
import type { ProofBundle } from '../../src/gateway/proof-bundle.ts'
import { formatCount } from '../app/format.ts'
import { keccak256 } from './keccak.ts'

export type Stone = {
  /** `Header of block 5`, `Branch`, `Leaf`, `Code`. */
  readonly title: string
  readonly bytes: Uint8Array
  /** keccak256 of the bytes, worked out here; hex. */
  readonly hash: string
  /** What the hash had to be: of the header, the block's; else null. */
  readonly expected: string | null
  /** Where the hash stands: which stone, at which byte, and by which name when it has one; null: nowhere. */
  readonly foundIn: { readonly stone: number; readonly at: number; readonly name: string } | null
  readonly isRight: boolean
  /** What the piece says, for people. */
  readonly facts: readonly (readonly [name: string, value: string])[]
}

/** `trusted`: hash of the block that the reader means, hex. Empty when the bundle proves nothing. */
export function stonesOf(bundle: ProofBundle, trusted: string): readonly Stone[] {
  if (bundle.header === null) return []
  const stones: Stone[] = [headerStone(bytesOf(bundle.header), trusted)]
  const pieces = [...bundle.nodes, ...(bundle.code === undefined ? [] : [bundle.code])]
  for (const [index, piece] of pieces.entries()) {
    const bytes = bytesOf(piece)
    const hash = keccak256(bytes)
    const foundIn = findHash(stones, hash)
    const isCode = index === bundle.nodes.length
    stones.push({
      ...(isCode ? codeStone(bytes) : pieceStone(bytes)),
      bytes,
      hash: toHex(hash),
      expected: null,
      foundIn,
      isRight: foundIn !== null,
    })
  }
  return stones
}

/** Hex digits as bytes, without Buffer: also for what a reader changed. */
export function bytesOf(hex: string): Uint8Array {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  )
}

function headerStone(bytes: Uint8Array, trusted: string): Stone {
  const hash = toHex(keccak256(bytes))
  const header = headerOf(bytes)
  const shared = { bytes, hash, expected: trusted, foundIn: null, isRight: hash === trusted }
  if (header === null) return { ...shared, title: 'No header', facts: [] }
  return {
    ...shared,
    title: `Header of block ${header.number}`,
    facts: [
      ['State root', toHex(header.stateRoot)],
      ['Transactions root', toHex(header.transactionsRoot)],
      ['Receipts root', toHex(header.receiptsRoot)],
      ['Parent', toHex(header.parentHash)],
      ['Time', new Date(Number(header.timestamp) * 1000).toISOString()],
    ],
  }
}

function codeStone(bytes: Uint8Array): Pick<Stone, 'title' | 'facts'> {
  return { title: 'Code', facts: [['Size', formatCount(bytes.length, 'byte')]] }
}

function pieceStone(bytes: Uint8Array): Pick<Stone, 'title' | 'facts'> {
  const node = nodeOf(bytes)
  if (node !== null) return trieStone(node)
  const header = headerOf(bytes)
  if (header !== null) {
    return {
      title: `Header of block ${header.number}`,
      facts: [['Parent', toHex(header.parentHash)]],
    }
  }
  return { title: 'List', facts: [['Size', formatCount(bytes.length, 'byte')]] }
}

function trieStone(node: TrieNode): Pick<Stone, 'title' | 'facts'> {
  switch (node.type) {
    case 'branch': {
      const taken = node.children.flatMap((child, at) => (child === null ? [] : [at.toString(16)]))
      return { title: 'Branch', facts: [['Ways on', taken.join(' ')]] }
    }
    case 'extension':
      return { title: 'Extension', facts: [['Shared path', nibbles(node.path)]] }
    case 'leaf':
      return {
        title: 'Leaf',
        facts: [
          ['Rest of the path', nibbles(node.path)],
          ['Value', toHex(node.value)],
        ],
      }
  }
}

function nibbles(path: Uint8Array): string {
  return path.length === 0 ? 'none' : Array.from(path, (nibble) => nibble.toString(16)).join('')
}

function headerOf(bytes: Uint8Array): Header | null {
  try {
    return decodeHeader(bytes)
  } catch {
    return null
  }
}

function nodeOf(bytes: Uint8Array): TrieNode | null {
  try {
    return decodeTrieNode(bytes, { branchValues: true })
  } catch {
    return null
  }
}

/** The nearest piece before that holds the hash. */
function findHash(stones: readonly Stone[], hash: Uint8Array): Stone['foundIn'] {
  for (let stone = stones.length - 1; stone >= 0; stone--) {
    const { bytes, title } = stones[stone] as Stone
    const at = indexOf(bytes, hash)
    if (at >= 0) return { stone, at, name: nameOf(bytes, title, hash) }
  }
  return null
}

const headerNames = {
  stateRoot: 'state root',
  transactionsRoot: 'transactions root',
  receiptsRoot: 'receipts root',
  withdrawalsRoot: 'withdrawals root',
  unclesHash: 'uncles hash',
  parentHash: 'parent',
} as const

function nameOf(bytes: Uint8Array, title: string, hash: Uint8Array): string {
  const header = title.startsWith('Header') ? headerOf(bytes) : null
  if (header === null) return title === 'Leaf' ? 'the account in the leaf' : `a way on`
  const wanted = toHex(hash)
  for (const [field, name] of Object.entries(headerNames)) {
    const value = (header as Record<string, unknown>)[field]
    if (value instanceof Uint8Array && toHex(value) === wanted) return name
  }
  return 'a field'
}

function indexOf(bytes: Uint8Array, part: Uint8Array): number {
  const last = bytes.length - part.length
  for (let at = 0; at <= last; at++) {
    let same = 0
    while (same < part.length && bytes[at + same] === part[same]) same++
    if (same === part.length) return at
  }
  return -1
}
