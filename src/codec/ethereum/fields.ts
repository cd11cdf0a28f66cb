// Reads one RLP item as a typed field. All readers throw `Malformed` with the field's name.
// Tested by src/codec/ethereum/header.test.ts, src/codec/ethereum/transaction.test.ts
import { Malformed } from './malformed.ts'
import { decodeInteger } from './rlp.ts'
import type { RlpItem } from './rlp.ts'

/** `length` given: exactly so many bytes. */
export function bytesField(item: RlpItem | undefined, name: string, length?: number): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new Malformed(`${name} as a string`)
  if (length !== undefined && item.length !== length) {
    throw new Malformed(`${name} of ${length} bytes, got ${item.length}`)
  }
  return item
}

/** An integer without leading zeros, of at most `bytesMax` bytes. */
export function integerField(item: RlpItem | undefined, name: string, bytesMax: number): bigint {
  const bytes = bytesField(item, name)
  try {
    return decodeInteger(bytes, bytesMax)
  } catch (cause) {
    throw new Malformed(`${name} as an integer of at most ${bytesMax} bytes`, { cause })
  }
}

/** `count` given: exactly so many items. */
export function listField(
  item: RlpItem | undefined,
  name: string,
  count?: number,
): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new Malformed(`${name} as a list`)
  if (count !== undefined && item.length !== count) {
    throw new Malformed(`${name} of ${count} items, got ${item.length}`)
  }
  return item
}
