// Parts of the steps of a proof: decoded nodes, and the names of accounts, slots and entries. Pure.
// Tested by dashboard/proof/proof-steps.test.ts
import { toHex } from '../../src/base/hex.ts'
import { decodeAccountState, decodeStorageValue } from '../../src/codec/ethereum/account-state.ts'
import { decodeHeader, type Header } from '../../src/codec/ethereum/header.ts'
import {
  decodeTrieNode,
  type TrieChild,
  type TrieNode,
} from '../../src/codec/ethereum/trie-node.ts'
import { formatCount } from '../app/format.ts'
import type { ReadValue } from './call-job.ts'
import { keccak256 } from './keccak.ts'

/** Shortened addresses and slots, by the nibbles of their hashes, which are their paths in the tries. */
export type ReadNames = {
  readonly accounts: ReadonlyMap<string, string>
  readonly slots: ReadonlyMap<string, string>
  /** The call read nothing else: other leaves are proofs of absence. */
  readonly isComplete: boolean
}

/** Maximum number of values of the params that are hashed to find names. */
const namesMax = 2_000
const nestingMax = 6

/** Names from the values that a call has read, and from everything in the params that may be an address or a slot. */
export function namesIn(
  params: readonly unknown[],
  reads: readonly ReadValue[] = [],
  isComplete = true,
): ReadNames {
  const accounts = new Map<string, string>()
  const slots = new Map<string, string>()
  const texts = [...textsIn(params, nestingMax)].slice(0, namesMax)
  for (const address of [...texts, ...reads.map((read) => read.address)]) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) continue
    accounts.set(pathOf(address.slice(2)), shorten(address.toLowerCase()))
  }
  for (const slot of [...texts, ...reads.flatMap((read) => read.slot ?? [])]) {
    if (!/^0x[0-9a-fA-F]{1,64}$/.test(slot)) continue
    slots.set(pathOf(slot.slice(2).padStart(64, '0')), nameOf(slot))
  }
  return { accounts, slots, isComplete }
}

function* textsIn(value: unknown, nesting: number): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null || nesting === 0) return
  for (const [name, one] of Object.entries(value)) {
    yield name
    yield* textsIn(one, nesting - 1)
  }
}

function pathOf(digits: string): string {
  const bytes = Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  )
  return toHex(keccak256(bytes)).slice(2)
}

/** `0xa0b86991…06eb48` */
function shorten(hex: string): string {
  return hex.length <= 20 ? hex : `${hex.slice(0, 10)}…${hex.slice(-6)}`
}

/** Names a slot of a variable by its number, others by their hash. */
function nameOf(slot: string): string {
  const number = BigInt(slot)
  return number < 2n ** 32n ? String(number) : shorten(slot)
}

/** `0x3e8` as `1,000`; values that are too large to be numbers stay hex. */
function readable(value: bigint): string {
  return value < 2n ** 64n ? value.toLocaleString('en') : shorten(`0x${value.toString(16)}`)
}

/** `name`: of the slot, if known. `value`: of the leaf. */
export function slotLine(
  name: string | undefined,
  value: Uint8Array,
): { readonly title: string; readonly line: string } {
  try {
    const number = BigInt(toHex(decodeStorageValue(value)))
    const title = `${name === undefined ? 'A slot' : `Slot ${name}`} = ${readable(number)}`
    return { title, line: `The leaf holds ${shorten(`0x${number.toString(16)}`)}` }
  } catch {
    return { title: 'A slot', line: 'The leaf holds no value of a slot' }
  }
}

const wei = 10n ** 18n

export function accountOf(value: Uint8Array): {
  readonly line: string
  readonly storageRoot: string
  readonly codeHash: string
  readonly facts: readonly (readonly [name: string, value: string])[]
} | null {
  try {
    const { nonce, balance, storageRoot, codeHash } = decodeAccountState(value)
    return {
      line: `Nonce ${nonce.toLocaleString('en')} · balance ${etherOf(balance)} · storage root inside`,
      storageRoot: toHex(storageRoot),
      codeHash: toHex(codeHash),
      facts: [
        ['Nonce', nonce.toLocaleString('en')],
        ['Balance', `${balance.toLocaleString('en')} wei`],
        ['Storage root', toHex(storageRoot)],
        ['Hash of the code', toHex(codeHash)],
      ],
    }
  } catch {
    return null
  }
}

/** `0`, `12.5 ether`, `< 0.0001 ether` */
function etherOf(balance: bigint): string {
  if (balance === 0n) return '0'
  const shown = (balance * 10_000n) / wei
  if (shown === 0n) return '< 0.0001 ether'
  const rest = (shown % 10_000n).toString().padStart(4, '0').replace(/0+$/, '')
  return `${(shown / 10_000n).toLocaleString('en')}${rest === '' ? '' : `.${rest}`} ether`
}

const singular: Readonly<Record<string, string>> = {
  Transactions: 'Transaction',
  Receipts: 'Receipt',
  Withdrawals: 'Withdrawal',
}

/** Name of a list entry by the path of its leaf, which is the RLP of its index. */
export function entryOf(
  list: string,
  path: string,
  value: Uint8Array,
): { readonly title: string; readonly line: string } {
  const name = singular[list] ?? 'Entry'
  const digits = /^8[1-4]/.test(path) ? path.slice(2) : path
  const index = path === '80' ? 0 : Number.parseInt(digits, 16)
  return {
    title: Number.isNaN(index) ? name : `${name} ${index}`,
    line: `The leaf holds ${formatCount(value.length, 'byte')}`,
  }
}

/** `path`: nibbles that lead to the child; `hash`: null for a node that is embedded in its parent. */
export function childrenOf(
  node: Exclude<TrieNode, { type: 'leaf' }>,
): readonly { readonly path: string; readonly hash: Uint8Array | null }[] {
  const hashOf = (child: TrieChild) => (child instanceof Uint8Array ? child : null)
  if (node.type === 'extension') return [{ path: nibbles(node.path), hash: hashOf(node.child) }]
  return node.children.flatMap((child, at) =>
    child === null ? [] : [{ path: at.toString(16), hash: hashOf(child) }],
  )
}

export function nibbles(path: Uint8Array): string {
  return Array.from(path, (nibble) => nibble.toString(16)).join('')
}

export function headerOf(bytes: Uint8Array): Header | null {
  try {
    return decodeHeader(bytes)
  } catch {
    return null
  }
}

export function nodeOf(bytes: Uint8Array): TrieNode | null {
  try {
    return decodeTrieNode(bytes, { branchValues: true })
  } catch {
    return null
  }
}
