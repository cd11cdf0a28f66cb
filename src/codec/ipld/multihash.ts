// Multihashes: hash code, digest length, digest. Only listed functions are accepted.
// Codes: https://github.com/multiformats/multicodec
import { hash } from 'node:crypto'
import { Fault } from '../../base/fault.ts'
import { writeLatin1 } from '../hash/digest.ts'
import { hashCodes, hashFunctions } from '../hash/hash-functions.ts'
import { decodeVarint, encodeVarint, joinBytes } from './protobuf.ts'

export type Multihash = { readonly code: number; readonly digest: Uint8Array }

export const identityCode = 0x00
export const sha256Code = 0x12
/** Length of a multihash with a whole sha2-256 digest. */
export const sha256NameBytes = 34

/** Accepted digest lengths, in bytes. */
const digestBytesMin = 20
const digestBytesMax = 128
const identityBytesMax = 128

/** Codes by their names in the options `mhtype` and `hash`. */
export const hashNames: ReadonlyMap<string, number> = new Map([
  ['identity', identityCode],
  ...hashCodes,
])

/** True for a multihash with a whole sha2-256 digest, by far the most common form. */
export function isSha256Name(multihash: Uint8Array): boolean {
  return multihash.length === sha256NameBytes && multihash[0] === sha256Code && multihash[1] === 32
}

/** The sha2-256 multihash of `bytes`, computed synchronously. */
export function sha256Name(bytes: Uint8Array): Uint8Array {
  const multihash = unfilledSha256Name()
  writeLatin1(hash('sha256', bytes, 'binary'), multihash, 2)
  return multihash
}

/** A sha2-256 multihash whose digest must still be written, at position 2. */
export function unfilledSha256Name(): Uint8Array {
  const multihash = new Uint8Array(sha256NameBytes)
  multihash[0] = sha256Code
  multihash[1] = sha256NameBytes - 2
  return multihash
}

/** `name`: one of `hashNames`. Throws `command_failed` if an identity digest would exceed 128 bytes. */
export function multihashOf(name: string, bytes: Uint8Array): Uint8Array {
  const code = hashNames.get(name)
  if (code === undefined) throw new TypeError(`no hash function ${name}`)
  if (code === sha256Code) return sha256Name(bytes)
  const digest = code === identityCode ? checkedIdentity(bytes) : computed(code, bytes)
  return encodeMultihash(code, digest)
}

/**
 * The multihash of `bytes` by the function `code` of `hashNames`, with its digest truncated to `length` bytes; null: whole.
 * Throws `command_failed` for lengths that the digest does not have or that are refused.
 */
export function cutMultihash(code: number, length: number | null, bytes: Uint8Array): Uint8Array {
  const digest = code === identityCode ? checkedIdentity(bytes) : computed(code, bytes)
  const digestLength = length ?? digest.length
  if (digestLength > digest.length || (code === identityCode && digestLength !== digest.length)) {
    throw new Fault('command_failed', { detail: 'requested length was too large for digest' })
  }
  const multihash = encodeMultihash(code, digest.subarray(0, digestLength))
  decodeMultihash(multihash)
  return multihash
}

export function encodeMultihash(code: number, digestBytes: Uint8Array): Uint8Array {
  return joinBytes([encodeVarint(code), encodeVarint(digestBytes.length), digestBytes])
}

/**
 * Parts of a multihash with an accepted function; `digest` is a view. Throws `command_failed` with Kubo's messages for other
 * functions, refused digest lengths and bytes that are not a multihash.
 */
export function decodeMultihash(multihash: Uint8Array): Multihash {
  const code = decodeVarint(multihash, 0)
  const length = decodeVarint(multihash, code.end)
  const digestBytes = multihash.subarray(length.end)
  if (BigInt(digestBytes.length) !== length.value) {
    throw new Fault('command_failed', { detail: 'multihash length inconsistent' })
  }
  const number = Number(code.value)
  if (number === identityCode) return { code: number, digest: checkedIdentity(digestBytes) }
  if (!hashFunctions.has(number)) {
    throw new Fault('command_failed', { detail: 'potentially insecure hash functions not allowed' })
  }
  if (digestBytes.length < digestBytesMin || digestBytes.length > digestBytesMax) {
    const size = digestBytes.length
    const detail =
      size < digestBytesMin
        ? `digest too small: got ${size} bytes, minimum ${digestBytesMin}`
        : `digest too large: got ${size} bytes, maximum ${digestBytesMax}`
    throw new Fault('command_failed', { detail })
  }
  return { code: number, digest: digestBytes }
}

/** The whole digest of `bytes`. Throws `unverified` for a function that is not on the list. */
export function computed(code: number, bytes: Uint8Array): Uint8Array {
  const run = hashFunctions.get(code)
  if (run === undefined) {
    const detail = `hash function 0x${code.toString(16)} can not be checked by this server`
    throw new Fault('unverified', { detail })
  }
  return run(bytes)
}

function checkedIdentity(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= identityBytesMax) return bytes
  const detail = `digest too large: identity digest got ${bytes.length} bytes, maximum ${identityBytesMax}`
  throw new Fault('command_failed', { detail })
}
