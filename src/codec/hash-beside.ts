// sha2-256 of large blocks while this thread does something else: in the thread pool of Node. It takes a copy of the
// bytes, and a quarter more processor time than hashing them here.
// Tested by src/codec/verify-beside.test.ts
import { webcrypto } from 'node:crypto'
import { leafPrefix, leafSuffix } from './leaf-frame.ts'

/**
 * The digest of `data`, or with `leaf` of the dag-pb leaf that has these file bytes. Null: it is small, and sooner hashed
 * than handed over. `data` may be used again as soon as it returns. `within`: memory around `data` that nobody else uses
 * meanwhile, and that is as it was when this returns; it saves one copy of a leaf.
 */
export type HashBeside = (
  data: Uint8Array,
  leaf: boolean,
  within?: Uint8Array,
) => Promise<Uint8Array> | null

const bytesMin = 64 * 1024

/** Has room for one block, made at the first leaf. */
export function createHashBeside(): HashBeside {
  let room = new Uint8Array(0)

  function framed(data: Uint8Array): Uint8Array {
    const prefix = leafPrefix(data.length)
    const suffix = leafSuffix(data.length)
    const length = prefix.length + data.length + suffix.length
    if (room.length < length) room = new Uint8Array(length)
    room.set(prefix)
    room.set(data, prefix.length)
    room.set(suffix, prefix.length + data.length)
    return room.subarray(0, length)
  }

  return (data, leaf, within) => {
    if (data.length < bytesMin) return null
    const digest = leaf
      ? ((within && framedThere(data, within, digestOf)) ?? digestOf(framed(data)))
      : digestOf(data)
    return digest.then((bytes) => new Uint8Array(bytes))
  }
}

/** The Web Cryptography API, 14.3.5: the bytes are copied before the promise is there. */
function digestOf(bytes: Uint8Array): Promise<ArrayBuffer> {
  return webcrypto.subtle.digest('SHA-256', bytes)
}

/** Lets `use` see the leaf where its data lies, and puts back what lay around it. Null: no room for a frame there. */
function framedThere<T>(
  data: Uint8Array,
  within: Uint8Array,
  use: (leaf: Uint8Array) => T,
): T | null {
  const prefix = leafPrefix(data.length)
  const suffix = leafSuffix(data.length)
  const from = data.byteOffset - within.byteOffset - prefix.length
  const dataEnd = from + prefix.length + data.length
  if (from < 0 || dataEnd + suffix.length > within.length) return null
  const before = new Uint8Array(within.subarray(from, from + prefix.length))
  const after = new Uint8Array(within.subarray(dataEnd, dataEnd + suffix.length))
  try {
    within.set(prefix, from)
    within.set(suffix, dataEnd)
    return use(within.subarray(from, dataEnd + suffix.length))
  } finally {
    within.set(before, from)
    within.set(after, dataEnd)
  }
}
