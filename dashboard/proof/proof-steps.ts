// The steps of a proof bundle: each node with its hash, computed here, and the position of that hash in an earlier step.
// The first step is the block header, whose hash must be the block hash. No claim of the bundle is trusted.
import { toHex } from '../../src/base/hex.ts'
import { decodeHeader, type Header } from '../../src/codec/ethereum/header.ts'
import { type TrieNode, decodeTrieNode } from '../../src/codec/ethereum/trie-node.ts'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { formatCount } from '../app/format.ts'
import { keccak256 } from './keccak.ts'

export type ProofStep = {
  /** `Header of block 5`, `Branch`, `Leaf`, `Code`. */
  readonly title: string
  readonly bytes: Uint8Array
  /** keccak256 of the bytes, computed here; hex. */
  readonly hash: string
  /** Expected hash of the header step, the block hash; null for other steps. */
  readonly expected: string | null
  /** Position of the hash: step, byte and name of the field; null: not found. */
  readonly foundIn: { readonly step: number; readonly at: number; readonly name: string } | null
  readonly isValid: boolean
  /** Decoded fields, for display. */
  readonly facts: readonly (readonly [name: string, value: string])[]
}

/** `trusted`: the block hash that the person trusts, hex. Returns no steps if the bundle has no header. */
export function proofStepsOf(bundle: ProofBundle, trusted: string): readonly ProofStep[] {
  if (bundle.header === null) return []
  const steps: ProofStep[] = [headerStep(bytesOf(bundle.header), trusted)]
  const nodes = [...bundle.nodes, ...(bundle.code === undefined ? [] : [bundle.code])]
  for (const [index, node] of nodes.entries()) {
    const bytes = bytesOf(node)
    const hash = keccak256(bytes)
    const foundIn = findHash(steps, hash)
    const isCode = index === bundle.nodes.length
    steps.push({
      ...(isCode ? codeStep(bytes) : nodeStep(bytes)),
      bytes,
      hash: toHex(hash),
      expected: null,
      foundIn,
      isValid: foundIn !== null,
    })
  }
  return steps
}

/** Hex digits as bytes, without Buffer; also accepts changed bundles. */
export function bytesOf(hex: string): Uint8Array {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  )
}

function headerStep(bytes: Uint8Array, trusted: string): ProofStep {
  const hash = toHex(keccak256(bytes))
  const header = headerOf(bytes)
  const shared = { bytes, hash, expected: trusted, foundIn: null, isValid: hash === trusted }
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

function codeStep(bytes: Uint8Array): Pick<ProofStep, 'title' | 'facts'> {
  return { title: 'Code', facts: [['Size', formatCount(bytes.length, 'byte')]] }
}

function nodeStep(bytes: Uint8Array): Pick<ProofStep, 'title' | 'facts'> {
  const node = nodeOf(bytes)
  if (node !== null) return trieStep(node)
  const header = headerOf(bytes)
  if (header !== null) {
    return {
      title: `Header of block ${header.number}`,
      facts: [['Parent', toHex(header.parentHash)]],
    }
  }
  return { title: 'List', facts: [['Size', formatCount(bytes.length, 'byte')]] }
}

function trieStep(node: TrieNode): Pick<ProofStep, 'title' | 'facts'> {
  switch (node.type) {
    case 'branch': {
      const taken = node.children.flatMap((child, at) => (child === null ? [] : [at.toString(16)]))
      return { title: 'Branch', facts: [['Children', taken.join(' ')]] }
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

/** The last earlier step that contains the hash. */
function findHash(steps: readonly ProofStep[], hash: Uint8Array): ProofStep['foundIn'] {
  for (let step = steps.length - 1; step >= 0; step--) {
    const { bytes, title } = steps[step] as ProofStep
    const at = indexOf(bytes, hash)
    if (at >= 0) return { step, at, name: nameOf(bytes, title, hash) }
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
  if (header === null) return title === 'Leaf' ? 'account in the leaf' : 'child'
  const wanted = toHex(hash)
  for (const [field, name] of Object.entries(headerNames)) {
    const value = (header as Record<string, unknown>)[field]
    if (value instanceof Uint8Array && toHex(value) === wanted) return name
  }
  return 'another field'
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
