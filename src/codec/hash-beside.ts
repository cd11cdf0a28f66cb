// sha2-256 of large blocks while this thread does something else: in the thread pool of Node. It takes a copy of the
// bytes, and a quarter more processor time than hashing them here.
// Tested by src/codec/verify-beside.test.ts
import { webcrypto } from 'node:crypto'
import { leafPrefix, leafSuffix } from './leaf-frame.ts'

/**
 * The digest of `data`, or with `leaf` of the dag-pb leaf that has these file bytes. Null: it is small, and sooner hashed
 * than handed over. `data` may be used again as soon as it returns.
 */
export type HashBeside = (data: Uint8Array, leaf: boolean) => Promise<Uint8Array> | null

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

  return (data, leaf) => {
    if (data.length < bytesMin) return null
    // The Web Cryptography API, 14.3.5: the bytes are copied before the promise is there.
    const digest = webcrypto.subtle.digest('SHA-256', leaf ? framed(data) : data)
    return digest.then((bytes) => new Uint8Array(bytes))
  }
}
