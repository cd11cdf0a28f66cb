// Half-bytes, the steps of a trie path, and their packed form in nodes (hex prefix, Yellow Paper app. C).
import { Malformed } from './malformed.ts'

/** One nibble (0..15) an element, twice as many as `bytes`. */
export function toNibbles(bytes: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(bytes.length * 2)
  for (let at = 0; at < nibbles.length; at += 1) nibbles[at] = nibbleAt(bytes, at)
  return nibbles
}

/** The reverse of `toNibbles`. Throws `Malformed` on an odd number. */
export function fromNibbles(nibbles: readonly number[]): Uint8Array {
  if (nibbles.length % 2 === 1) throw new Malformed('whole bytes')
  return Uint8Array.from(
    { length: nibbles.length / 2 },
    (_, at) => ((nibbles[at * 2] ?? 0) << 4) | (nibbles[at * 2 + 1] ?? 0),
  )
}

export function nibbleAt(bytes: Uint8Array, index: number): number {
  const byte = bytes[index >> 1] ?? 0
  return index % 2 === 0 ? byte >> 4 : byte & 0x0f
}

/** The nibbles `from`..`to` (exclusive) of `key`, packed for a leaf or an extension. */
export function packPath(key: Uint8Array, from: number, to: number, isLeaf: boolean): Uint8Array {
  const count = to - from
  const flag = (isLeaf ? 0x20 : 0) + (count % 2 === 1 ? 0x10 + nibbleAt(key, from) : 0)
  const packed = new Uint8Array(1 + (count >> 1))
  packed[0] = flag
  let at = from + (count % 2)
  for (let index = 1; index < packed.length; index += 1, at += 2) {
    packed[index] = (nibbleAt(key, at) << 4) | nibbleAt(key, at + 1)
  }
  return packed
}

/** Throws `Malformed` when the flag is none of the four, or the padding of an even path is not zero. */
export function unpackPath(packed: Uint8Array): { isLeaf: boolean; path: Uint8Array } {
  const first = packed[0]
  if (first === undefined || first >= 0x40) throw new Malformed('a path with a flag of 0 to 3')
  const isOdd = (first & 0x10) !== 0
  if (!isOdd && (first & 0x0f) !== 0) throw new Malformed('an even path padded with zero')
  return { isLeaf: first >= 0x20, path: toNibbles(packed).subarray(isOdd ? 1 : 2) }
}
