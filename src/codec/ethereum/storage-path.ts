// Resolves `balances[0xabc…]` or `order.at.x` to a storage location, by the contract's layout. Reads no storage.
// Source: Solidity documentation, "Layout of State Variables in Storage".
// Tested by src/codec/ethereum/stored-value.test.ts
import { fromHex } from '../../base/hex.ts'
import {
  StorageLayoutError,
  type StorageLayout,
  type StorageType,
  typeOf,
} from './storage-layout.ts'
import { arraySlot, mappingSlot, parseKey, toWord } from './storage-slot.ts'

/** Location of a value. */
export type StorageLocation = {
  readonly slot: bigint
  /** Bytes from the low end of the slot. */
  readonly offset: number
  /** A name in the layout's types; null: the length of a dynamic array. */
  readonly type: string | null
  /** Type in source notation. */
  readonly label: string
  /** Each step of the path, with its slot. */
  readonly steps: readonly { readonly text: string; readonly slot: bigint }[]
}

type Step = { readonly kind: 'member' | 'key'; readonly text: string }

const pathMax = 2000
const stepsMax = 32

/** Throws StorageLayoutError, with the step and the expected form. */
export function placeOf(layout: StorageLayout, path: string): StorageLocation {
  const [first, ...rest] = splitPath(path)
  const variable = layout.variables.find(({ label }) => label === first?.text)
  if (variable === undefined) {
    const near = layout.variables.map(({ label }) => label).slice(0, 20)
    throw new StorageLayoutError(
      `there is no variable ${first?.text ?? ''}; there are ${near.join(', ') || 'none'}`,
    )
  }
  let place: StorageLocation = {
    slot: variable.slot,
    offset: variable.offset,
    type: variable.type,
    label: typeOf(layout, variable.type).label,
    steps: [{ text: variable.label, slot: variable.slot }],
  }
  for (const step of rest) place = follow(layout, place, step)
  return place
}

/** Splits `a.b[c]` into steps. A key in double quotes may contain any character. */
export function splitPath(path: string): readonly Step[] {
  const text = path.trim()
  if (text.length > pathMax)
    throw new StorageLayoutError(`a path has at most ${pathMax} characters`)
  const steps: Step[] = []
  const form = /\.?([A-Za-z_$][\w$]*)|\[\s*("(?:[^"\\]|\\.)*"|[^\]"]*)\s*\]/y
  while (form.lastIndex < text.length) {
    const at = form.lastIndex
    const match = form.exec(text)
    const dotted = match?.[0].startsWith('.') === true
    if (match === null || (match[1] !== undefined && dotted === (at === 0))) {
      throw new StorageLayoutError(
        `"${text.slice(at, at + 40)}" is no step: expected name, .member or [key]`,
      )
    }
    if (steps.length >= stepsMax)
      throw new StorageLayoutError(`a path has at most ${stepsMax} steps`)
    const [, member, key = ''] = match
    steps.push(
      member === undefined ? { kind: 'key', text: key.trim() } : { kind: 'member', text: member },
    )
  }
  if (steps[0]?.kind !== 'member') throw new StorageLayoutError('a path begins with a variable')
  return steps
}

/** Array items per slot, or slots per item. */
export function itemPlace(
  base: StorageType,
  first: bigint,
  index: bigint,
): { readonly slot: bigint; readonly offset: number } {
  if (base.bytes > 16) {
    const slots = BigInt(Math.ceil(base.bytes / 32))
    return { slot: wrap(first + index * slots), offset: 0 }
  }
  const perSlot = BigInt(Math.floor(32 / base.bytes))
  return {
    slot: wrap(first + index / perSlot),
    offset: Number(index % perSlot) * base.bytes,
  }
}

/** First slot of the items of a dynamic array, or of the bytes of a long string. */
export function contentSlot(slot: bigint): bigint {
  return toNumber(arraySlot(toWord(slot), 0n, 1n))
}

/** Number of items of a static array, from the label of its type; null for other types. */
export function staticLength({ label }: StorageType): bigint | null {
  const length = /\[(\d+)\]$/.exec(label)?.[1]
  return length === undefined ? null : BigInt(length)
}

function follow(layout: StorageLayout, place: StorageLocation, step: Step): StorageLocation {
  const type = place.type === null ? null : typeOf(layout, place.type)
  const next = type === null ? null : stepInto(layout, type, place, step)
  if (next === null) {
    const what = step.kind === 'key' ? `[${step.text}]` : `.${step.text}`
    throw new StorageLayoutError(`${place.label} has no ${what}`)
  }
  const label = next.type === null ? 'uint256' : typeOf(layout, next.type).label
  const text = step.kind === 'key' ? `[${step.text}]` : `.${step.text}`
  return { ...next, label, steps: [...place.steps, { text, slot: next.slot }] }
}

type Next = Pick<StorageLocation, 'slot' | 'offset' | 'type'>

function stepInto(
  layout: StorageLayout,
  type: StorageType,
  { slot }: StorageLocation,
  step: Step,
): Next | null {
  if (step.kind === 'member') {
    if (type.encoding === 'dynamic_array' && step.text === 'length') {
      return { slot, offset: 0, type: null }
    }
    const member = type.members?.find(({ label }) => label === step.text)
    if (member === undefined) return null
    return { slot: wrap(slot + member.slot), offset: member.offset, type: member.type }
  }
  if (type.encoding === 'mapping' && type.key !== undefined && type.value !== undefined) {
    const key = keyBytes(typeOf(layout, type.key), step.text)
    return { slot: toNumber(mappingSlot(toWord(slot), key)), offset: 0, type: type.value }
  }
  if (type.base === undefined) return null
  const index = parseIndex(step.text)
  const length = staticLength(type)
  if (type.encoding === 'inplace' && (length === null || index >= length)) {
    throw new StorageLayoutError(`${type.label} has no item ${index}`)
  }
  const first = type.encoding === 'dynamic_array' ? contentSlot(slot) : slot
  return { ...itemPlace(typeOf(layout, type.base), first, index), type: type.base }
}

/** The key as hashed with the slot: a word, or the bytes of a string. */
function keyBytes(type: StorageType, text: string): Uint8Array {
  const unquoted = unquote(text)
  if (type.encoding === 'bytes') {
    return type.label === 'string' ? new TextEncoder().encode(unquoted) : hexBytes(type, unquoted)
  }
  const fixed = /^bytes(\d+)$/.exec(type.label)?.[1]
  if (fixed !== undefined) {
    const bytes = hexBytes(type, unquoted)
    if (bytes.length !== Number(fixed)) {
      throw new StorageLayoutError(`[${text}]: expected ${fixed} bytes of hex, got ${bytes.length}`)
    }
    const word = new Uint8Array(32)
    word.set(bytes)
    return word
  }
  const key = parseKey(unquoted)
  const isAddress = /^(address|contract )/.test(type.label)
  if (key === null || (isAddress && !/^0x[0-9a-fA-F]{40}$/.test(unquoted))) {
    throw new StorageLayoutError(`[${text}]: expected a key of type ${type.label}`)
  }
  if (!fits(type, unquoted)) {
    throw new StorageLayoutError(`[${text}] does not fit in ${type.label}`)
  }
  return key
}

function fits({ label, bytes }: StorageType, text: string): boolean {
  if (text === 'true' || text === 'false') return label === 'bool'
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text)
  const bits = BigInt(bytes) * 8n
  if (label === 'bool') return value === 0n || value === 1n
  if (/^int\d/.test(label)) return value >= -(1n << (bits - 1n)) && value < 1n << (bits - 1n)
  // The layout does not contain the underlying type of a user-defined one, which may be signed.
  return value >= 0n ? value < 1n << bits : !/^(uint|address|enum|contract )/.test(label)
}

function hexBytes({ label }: StorageType, text: string): Uint8Array {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) {
    throw new StorageLayoutError(`[${text}]: expected hex with 0x, as the key is of type ${label}`)
  }
  return fromHex(text)
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text
  try {
    return JSON.parse(text) as string
  } catch (cause) {
    throw new StorageLayoutError(`[${text}]: the quoted key cannot be read`, { cause })
  }
}

function parseIndex(text: string): bigint {
  if (!/^\d{1,78}$/.test(text)) {
    throw new StorageLayoutError(`[${text}]: expected the number of an item`)
  }
  return BigInt(text)
}

function wrap(slot: bigint): bigint {
  return BigInt.asUintN(256, slot)
}

function toNumber(word: Uint8Array): bigint {
  return word.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
}
