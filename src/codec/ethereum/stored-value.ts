// The value at a storage location, read word by word and formatted for people. Limited: a longer value is truncated and
// marked.
// Source: Solidity documentation, "Layout of State Variables in Storage".
import { toHex } from '../../base/hex.ts'
import {
  type StorageLayout,
  StorageLayoutError,
  type StorageType,
  typeOf,
} from './storage-layout.ts'
import { contentSlot, itemPlace, staticLength, type StorageLocation } from './storage-path.ts'

/** Numbers are decimal text; bytes and addresses hex; a mapping is null, because its keys are not stored. */
export type StoredValue =
  | string
  | boolean
  | null
  | readonly StoredValue[]
  | { readonly [member: string]: StoredValue }

type StoredWord = { readonly slot: bigint; readonly word: Uint8Array }

export type Stored = {
  readonly value: StoredValue
  /** All words that were read, in order. */
  readonly words: readonly StoredWord[]
  /** True if the value is longer than the part that was read. */
  readonly cut: boolean
}

/** 32 bytes each, in the requested order. Called with at most `wordsMax` slots in total. */
export type ReadWords = (slots: readonly bigint[]) => Promise<readonly Uint8Array[]>

const wordsMax = 512
const depthMax = 16

/** Throws StorageLayoutError, or what `read` throws. */
export async function readStored(
  layout: StorageLayout,
  place: Pick<StorageLocation, 'slot' | 'offset' | 'type'>,
  read: ReadWords,
): Promise<Stored> {
  const words = new Map<bigint, Uint8Array>()
  let cut = false

  /** Fetches words up to the limit; the rest is truncated. */
  async function fetchWords(first: bigint, count: bigint): Promise<void> {
    const missing: bigint[] = []
    for (let index = 0n; index < count; index++) {
      const slot = BigInt.asUintN(256, first + index)
      if (words.has(slot)) continue
      if (words.size + missing.length >= wordsMax) {
        cut = true
        break
      }
      missing.push(slot)
    }
    if (missing.length === 0) return
    const found = await read(missing)
    for (const [index, slot] of missing.entries()) {
      const word = found[index]
      if (word?.length !== 32)
        throw new StorageLayoutError(`slot ${slot} came without its 32 bytes`)
      words.set(slot, word)
    }
  }

  async function wordAt(slot: bigint): Promise<Uint8Array | null> {
    await fetchWords(slot, 1n)
    return words.get(slot) ?? null
  }

  async function valueAt(
    type: StorageType,
    slot: bigint,
    offset: number,
    depth: number,
  ): Promise<StoredValue> {
    if (depth > depthMax) throw new StorageLayoutError(`types lie more than ${depthMax} deep`)
    if (type.encoding === 'mapping') return null
    if (type.encoding === 'bytes') return await bytesAt(type, slot)
    if (type.encoding === 'dynamic_array') {
      const length = await wordAt(slot)
      if (length === null) return []
      return await itemsAt(type, contentSlot(slot), toNumber(length), depth)
    }
    if (type.members !== undefined) {
      await fetchWords(slot, BigInt(Math.ceil(type.bytes / 32)))
      const members: Record<string, StoredValue> = {}
      for (const member of type.members) {
        const at = BigInt.asUintN(256, slot + member.slot)
        members[member.label] = await valueAt(
          typeOf(layout, member.type),
          at,
          member.offset,
          depth + 1,
        )
      }
      return members
    }
    const length = type.base === undefined ? null : staticLength(type)
    if (length !== null) return await itemsAt(type, slot, length, depth)
    const word = await wordAt(slot)
    return word === null ? null : decodeValue(type, word, offset)
  }

  async function itemsAt(
    { base = '' }: StorageType,
    first: bigint,
    length: bigint,
    depth: number,
  ): Promise<StoredValue> {
    const type = typeOf(layout, base)
    const last = length === 0n ? null : itemPlace(type, first, length - 1n)
    const slots = last === null ? 0n : BigInt.asUintN(256, last.slot - first) + 1n
    await fetchWords(first, slots < BigInt(wordsMax) ? slots : BigInt(wordsMax + 1))
    const items: StoredValue[] = []
    for (let index = 0n; index < length; index++) {
      const { slot, offset } = itemPlace(type, first, index)
      if (!words.has(slot)) {
        cut = true
        break
      }
      items.push(await valueAt(type, slot, offset, depth + 1))
    }
    return items
  }

  /** Short: in the slot itself, with twice the length in its last byte. Long: the slot has twice the length plus one. */
  async function bytesAt({ label }: StorageType, slot: bigint): Promise<StoredValue> {
    const word = await wordAt(slot)
    if (word === null) return ''
    const last = word[31] ?? 0
    const length = last % 2 === 0 ? BigInt(last / 2) : (toNumber(word) - 1n) / 2n
    if (last % 2 === 0) return spell(label, word.slice(0, Number(length)))
    const first = contentSlot(slot)
    const slots = (length + 31n) / 32n
    await fetchWords(first, slots < BigInt(wordsMax) ? slots : BigInt(wordsMax + 1))
    const pieces: Uint8Array[] = []
    for (let index = 0n; index < slots; index++) {
      const piece = words.get(BigInt.asUintN(256, first + index))
      if (piece === undefined) break
      pieces.push(piece)
    }
    const all = new Uint8Array(pieces.length * 32)
    for (const [index, piece] of pieces.entries()) all.set(piece, index * 32)
    const whole = length < BigInt(all.length) ? all.slice(0, Number(length)) : all
    return spell(label, whole)
  }

  const lengthType: StorageType = { encoding: 'inplace', label: 'uint256', bytes: 32 }
  const type = place.type === null ? lengthType : typeOf(layout, place.type)
  const value = await valueAt(type, place.slot, place.offset, 0)
  return { value, words: [...words].map(([slot, word]) => ({ slot, word })), cut }
}

/** Decodes a value type from its word. */
function decodeValue({ label, bytes }: StorageType, word: Uint8Array, offset: number): StoredValue {
  const own = word.slice(32 - offset - bytes, 32 - offset)
  if (own.length !== bytes) {
    throw new StorageLayoutError(
      `${label} of ${bytes} bytes does not fit at byte ${offset} of a slot`,
    )
  }
  const number = toNumber(own)
  if (label === 'bool') return number !== 0n
  if (/^int\d/.test(label)) return BigInt.asIntN(bytes * 8, number).toString()
  if (/^(uint\d|enum )/.test(label)) return number.toString()
  if (/^(address|contract |bytes\d|function )/.test(label)) return toHex(own)
  // The layout does not contain the underlying type of a user-defined one, so both readings are returned.
  return `${number} (${toHex(own)})`
}

function spell(label: string, bytes: Uint8Array): string {
  return label === 'string' ? new TextDecoder().decode(bytes) : toHex(bytes)
}

function toNumber(word: Uint8Array): bigint {
  return word.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
}
