// The steps of a proof bundle as a tree: the block header, whose hash must be the block hash, and below each step the steps whose
// hashes it contains. Hashes are computed in the browser; no claim of the bundle is trusted.
// Tested by dashboard/proof/proof-steps.test.ts
import { toHex } from '../../src/base/hex.ts'
import type { Header } from '../../src/codec/ethereum/header.ts'
import type { TrieNode } from '../../src/codec/ethereum/trie-node.ts'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { formatCount } from '../app/format.ts'
import { keccak256 } from './keccak.ts'
import {
  accountOf,
  childrenOf,
  entryOf,
  headerOf,
  namesIn,
  nibbles,
  nodeOf,
  type ReadNames,
  slotLine,
} from './step-parts.ts'

type StepKind = 'header' | 'branch' | 'account' | 'storage' | 'value' | 'code' | 'list'

export type ProofStep = {
  readonly kind: StepKind
  /** `Block 5`, `Branch at nibble 5`, `Account 0x1234…5678`, `Slot 1 = 1,000`. */
  readonly title: string
  /** Describes the step that contains its hash, or its own content. */
  readonly line: string
  readonly bytes: Uint8Array
  /** keccak256 of the bytes, computed in the browser, hex. */
  readonly hash: string
  /** The expected hash, if it differs, hex. */
  readonly expected: string | null
  /** Index of the step that contains its hash; null: the header, and steps that no other refers to. */
  readonly parent: number | null
  /** 0: the header. */
  readonly depth: number
  readonly isValid: boolean
  /** Decoded fields, for display. */
  readonly facts: readonly (readonly [name: string, value: string])[]
}

/** A position in the tree at which a hash is expected. */
type Place = {
  readonly kind: 'header' | 'state' | 'storage' | 'code' | 'list'
  /** Name of the list: `Transactions`. For storage and code: the account, if known. */
  readonly of: string
  /** Nibbles from the root of the trie to this position. */
  readonly path: string
  /** Index of the step that contains the hash. */
  readonly from: number | null
  /** `Named by the header as state root`; empty: the line refers to the step by number. */
  readonly line: string
}

type Pending = { readonly hash: string; readonly place: Place; readonly depth: number }

export type StepOptions = {
  /** Addresses and slots of the answer, used as names of steps. */
  readonly names?: ReadNames
  /** The bundle before the page changed it: changed nodes are shown at their original positions. */
  readonly intact?: ProofBundle | null
  /** Origin of the block hash. */
  readonly hashLine?: string
  /** Lists nodes that no step refers to, too. A proof does not need them. */
  readonly withUnused?: boolean
}

/** `trusted`: the block hash that the person trusts, hex. Returns no steps if the bundle has no header. */
export function proofStepsOf(
  bundle: ProofBundle,
  trusted: string,
  {
    names = namesIn(bundle.params),
    intact = null,
    hashLine = 'The block hash that you trust',
    withUnused = true,
  }: StepOptions = {},
): readonly ProofStep[] {
  if (bundle.header === null) return []
  const pieces = piecesOf(bundle)
  const substitutes = substitutesFor(pieces, intact === null ? [] : piecesOf(intact))
  const left = new Map(pieces.map((piece) => [piece.hash, piece]))
  const header = pieceOf(bundle.header)
  const steps: ProofStep[] = []
  const pending: Pending[] = [
    {
      hash: trusted,
      depth: 0,
      place: {
        kind: 'header',
        of: '',
        path: '',
        from: null,
        line: hashLine,
      },
    },
  ]
  left.set(trusted, header)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const piece = left.get(next.hash) ?? substitutes.get(next.hash)
    if (piece === undefined) continue
    left.delete(next.hash)
    left.delete(piece.hash)
    substitutes.delete(next.hash)
    const { step, children } = stepAt(piece, next, names)
    const from = steps.push(step) - 1
    const below = children.map(({ hash, place }) => ({
      hash,
      depth: step.depth + 1,
      place: { ...place, from, line: place.line || `Named by step ${from + 1}` },
    }))
    pending.push(...below.toReversed())
  }
  if (!withUnused) return steps
  return [...steps, ...[...left.values()].map(unusedStep)]
}

type Piece = { readonly bytes: Uint8Array; readonly hash: string }

function piecesOf({ nodes, code, codes }: ProofBundle): readonly Piece[] {
  return [...nodes, ...(codes ?? (code === undefined ? [] : [code]))].map(pieceOf)
}

function pieceOf(hex: string): Piece {
  const bytes = bytesOf(hex)
  return { bytes, hash: toHex(keccak256(bytes)) }
}

/** Changed nodes by their original hash. */
function substitutesFor(now: readonly Piece[], before: readonly Piece[]): Map<string, Piece> {
  return new Map(
    now.flatMap((piece, at) => {
      const was = before[at]?.hash
      return was === undefined || was === piece.hash ? [] : [[was, piece] as const]
    }),
  )
}

/** Hex digits as bytes, without Buffer; also accepts changed bundles. */
export function bytesOf(hex: string): Uint8Array {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  )
}

type Shape = Pick<ProofStep, 'kind' | 'title' | 'facts'> & {
  /** Replaces the line of its position. */
  readonly line?: string
  readonly children?: readonly { readonly hash: string; readonly place: Omit<Place, 'from'> }[]
}

function stepAt(
  { bytes, hash }: Piece,
  { hash: expected, place, depth }: Pending,
  names: ReadNames,
): { readonly step: ProofStep; readonly children: NonNullable<Shape['children']> } {
  const isValid = hash === expected
  const { line, children = [], ...shape } = shapeOf(bytes, place, names)
  const step = {
    ...shape,
    line: isValid ? (line ?? place.line) : brokenLine(place),
    bytes,
    hash,
    expected: isValid ? null : expected,
    parent: place.from,
    depth,
    isValid,
  }
  return { step, children }
}

function brokenLine({ from }: Place): string {
  return from === null ? 'The block hash is another one' : `Step ${from + 1} names another hash`
}

function shapeOf(bytes: Uint8Array, place: Place, names: ReadNames): Shape {
  switch (place.kind) {
    case 'header':
      return headerShape(bytes)
    case 'code':
      return {
        kind: 'code',
        title: place.of === '' ? 'Code' : `Code of ${place.of}`,
        line: `${formatCount(bytes.length, 'byte')}, named by the account`,
        facts: [],
      }
    case 'state':
    case 'storage':
    case 'list': {
      const node = nodeOf(bytes)
      if (node === null) return { kind: 'list', title: 'List', facts: sizeOf(bytes) }
      return node.type === 'leaf' ? leafShape(node, place, names) : innerShape(node, place)
    }
  }
}

function innerShape(node: Exclude<TrieNode, { type: 'leaf' }>, place: Place): Shape {
  const kind = place.kind === 'storage' ? 'storage' : 'branch'
  const isBranch = node.type === 'branch'
  const isRoot = place.path === ''
  const inner = isBranch
    ? `Branch at nibble ${place.path.at(-1)}`
    : `Shared path ${nibbles(node.path)}`
  const tree = place.kind === 'list' ? place.of : kind === 'storage' ? 'Storage' : 'State'
  const title = isRoot ? `${tree} tree, root` : inner
  const children = childrenOf(node)
  return {
    kind,
    title,
    facts: [
      isBranch
        ? ['Children', children.map(({ path }) => path).join(' ')]
        : ['Shared path', nibbles(node.path)],
    ],
    children: children.flatMap(({ hash, path }) =>
      hash === null
        ? []
        : [
            {
              hash: toHex(hash),
              place: {
                ...place,
                path: place.path + path,
                line: isRoot ? 'Named by the root' : '',
              },
            },
          ],
    ),
  }
}

function leafShape(
  node: Extract<TrieNode, { type: 'leaf' }>,
  { kind, of, path }: Place,
  names: ReadNames,
): Shape {
  const fullPath = path + nibbles(node.path)
  const facts = [['Value', toHex(node.value)] as const]
  if (kind === 'list') {
    const entry = entryOf(of, fullPath, node.value)
    return { kind: 'value', title: entry.title, line: entry.line, facts }
  }
  if (kind === 'storage') {
    const name = names.slots.get(fullPath)
    if (name !== undefined || !names.isComplete) {
      return { kind: 'value', ...slotLine(name, node.value), facts }
    }
    const line = 'It stands where a slot that was read would be: there, the value is zero'
    return { kind: 'branch', title: 'Another slot', line, facts }
  }
  const account = accountOf(node.value)
  if (account === null) return { kind: 'account', title: 'Account', facts }
  const address = names.accounts.get(fullPath) ?? ''
  if (address === '' && names.isComplete) {
    const line = 'It stands where an account that was read would be: there is none'
    return { kind: 'branch', title: 'Another account', line, facts: account.facts }
  }
  const shared = { of: address, path: '' }
  return {
    kind: 'account',
    title: address === '' ? 'Account' : `Account ${address}`,
    line: account.line,
    facts: account.facts,
    children: [
      {
        hash: account.storageRoot,
        place: { ...shared, kind: 'storage', line: 'Named by the account' },
      },
      { hash: account.codeHash, place: { ...shared, kind: 'code', line: '' } },
    ],
  }
}

const roots = [
  ['stateRoot', 'state', '', 'state root'],
  ['transactionsRoot', 'list', 'Transactions', 'transactions root'],
  ['receiptsRoot', 'list', 'Receipts', 'receipts root'],
  ['withdrawalsRoot', 'list', 'Withdrawals', 'withdrawals root'],
  ['unclesHash', 'list', 'Uncles', 'hash of uncles'],
] as const satisfies readonly (readonly [keyof Header, Place['kind'], string, string])[]

function headerShape(bytes: Uint8Array): Shape {
  const header = headerOf(bytes)
  if (header === null) return { kind: 'header', title: 'No header', facts: sizeOf(bytes) }
  const children = roots.flatMap(([field, kind, of, name]) => {
    const hash = header[field]
    const line = `Named by the header as ${name}`
    return hash === undefined ? [] : [{ hash: toHex(hash), place: { kind, of, path: '', line } }]
  })
  const parent = {
    hash: toHex(header.parentHash),
    place: { kind: 'header', of: '', path: '', line: `Named by block ${header.number}` } as const,
  }
  return {
    kind: 'header',
    title: `Block ${header.number.toLocaleString('en')}`,
    facts: [
      ['State root', toHex(header.stateRoot)],
      ['Transactions root', toHex(header.transactionsRoot)],
      ['Receipts root', toHex(header.receiptsRoot)],
      ['Parent', toHex(header.parentHash)],
      ['Time', new Date(Number(header.timestamp) * 1000).toISOString()],
    ],
    children: [...children, parent],
  }
}

function unusedStep({ bytes, hash }: Piece): ProofStep {
  const node = nodeOf(bytes)
  const titles = { branch: 'Branch', extension: 'Shared path', leaf: 'Leaf' } as const
  const title = node === null ? (headerOf(bytes) === null ? 'Bytes' : 'Header') : titles[node.type]
  return {
    kind: 'list',
    title,
    line: 'No step names this hash',
    bytes,
    hash,
    expected: null,
    parent: null,
    depth: 0,
    isValid: false,
    facts: sizeOf(bytes),
  }
}

function sizeOf(bytes: Uint8Array): ProofStep['facts'] {
  return [['Size', formatCount(bytes.length, 'byte')]]
}
