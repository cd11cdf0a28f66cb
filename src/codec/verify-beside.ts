// The proof of a large block while this thread does something else: sha2-256 in the thread pool of Node. It takes a
// copy of the bytes, and a quarter more processor time than the same proof here.
import { webcrypto } from 'node:crypto'
import { equalBytes } from '../base/hex.ts'
import { Fault } from '../base/fault.ts'
import { leafPrefix, leafSuffix } from './leaf-frame.ts'
import { sha256Code } from './multihash.ts'

/**
 * `data`: a block, or with `leaf` the file bytes of a dag-pb leaf. Null: no proof for here, which is small or by another
 * function than whole sha2-256. Rejects with `unverified`. `data` may be used again as soon as it returns.
 */
export type VerifyBeside = (
  multihash: Uint8Array,
  data: Uint8Array,
  leaf: boolean,
) => Promise<void> | null

/** What is smaller is hashed in less time than it takes to hand it over. */
const bytesMin = 64 * 1024
const digestAt = 2

/** Has room for one block, made at the first leaf. */
export function createVerifyBeside(): VerifyBeside {
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

  return (multihash, data, leaf) => {
    const isWhole = multihash.length === 34 && multihash[0] === sha256Code && multihash[1] === 32
    if (!isWhole || data.length < bytesMin) return null
    // The Web Cryptography API, 14.3.5: the bytes are copied before the promise is there.
    const digest = webcrypto.subtle.digest('SHA-256', leaf ? framed(data) : data)
    return check(digest, multihash.slice(digestAt))
  }
}

async function check(digest: Promise<ArrayBuffer>, expected: Uint8Array): Promise<void> {
  if (!equalBytes(new Uint8Array(await digest), expected)) {
    throw new Fault('unverified', { detail: 'block bytes do not match their hash' })
  }
}
