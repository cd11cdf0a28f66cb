// Slots of the elements of mappings and dynamic arrays in Solidity contracts.
// Source: Solidity documentation, "Layout of State Variables in Storage".
import { fromHex, toHex } from '../../base/hex.ts'
import { keccak256 } from '../hash/keccak.ts'

const wordModulus = 1n << 256n

/** One step from a slot to an element's slot. `key`: 32 bytes of a value type, or the bytes of a string. */
export type Step =
  | { readonly kind: 'key'; readonly key: Uint8Array }
  | { readonly kind: 'index'; readonly index: bigint; readonly itemSlots: bigint }

/** Encodes a number as one storage word: 32 bytes, big-endian; negative numbers in two's complement. */
export function toWord(value: bigint): Uint8Array {
  const digits = BigInt.asUintN(256, value).toString(16).padStart(64, '0')
  return fromHex(digits)
}

/** keccak256(key, slot): the slot of `mapping[key]`. */
export function mappingSlot(slot: Uint8Array, key: Uint8Array): Uint8Array {
  const both = new Uint8Array(key.length + slot.length)
  both.set(key)
  both.set(slot, key.length)
  return keccak256(both)
}

/** keccak256(slot) + index x itemSlots: the first slot of item `index` of a dynamic array. */
export function arraySlot(slot: Uint8Array, index: bigint, itemSlots: bigint): Uint8Array {
  const first = BigInt(toHex(keccak256(slot)))
  return toWord((first + index * itemSlots) % wordModulus)
}

/** Follows the steps from the variable's own slot. */
export function followSteps(slot: Uint8Array, steps: readonly Step[]): Uint8Array {
  return steps.reduce(
    (at, step) =>
      step.kind === 'key' ? mappingSlot(at, step.key) : arraySlot(at, step.index, step.itemSlots),
    slot,
  )
}

/**
 * Parses a mapping key: an address, a hex or decimal number, 32 bytes of hex, `true` or `false`. Returns 32 bytes, or null if it
 * is none of them or does not fit. Hex is padded on the left, as for addresses and numbers; a bytesN key shorter than 32 must
 * include its zeros on the right.
 */
export function parseKey(text: string): Uint8Array | null {
  if (text === 'true' || text === 'false') return toWord(text === 'true' ? 1n : 0n)
  const value = parseNumber(text.startsWith('-') ? text.slice(1) : text)
  if (value === null) return null
  if (!text.startsWith('-')) return toWord(value)
  return value <= wordModulus / 2n ? toWord(-value) : null
}

/** A whole number below 2^256, decimal or `0x` hex, or null. */
export function parseNumber(text: string): bigint | null {
  if (!/^(\d{1,78}|0[xX][0-9a-fA-F]{1,64})$/.test(text)) return null
  const value = BigInt(text)
  return value < wordModulus ? value : null
}
