// Multihashes: hash code, digest length, digest. Which hash functions are offered, and which are trusted at
// all (contract-files section 4). Codes: https://github.com/multiformats/multicodec
import { hash as hashOnce } from 'node:crypto'
import { Fault } from '../base/fault.ts'
import { keccak256 } from './keccak.ts'
import { decodeVarint, encodeVarint, joinBytes } from './protobuf.ts'

export type Multihash = { readonly code: number; readonly digest: Uint8Array }

export const identityCode = 0x00
export const sha256Code = 0x12

/** Digest lengths that are accepted, in bytes. */
const digestBytesMin = 20
const digestBytesMax = 128
const identityBytesMax = 128

/** Names of the hash functions that this server can compute, as `mhtype` writes them. */
export const hashNames: ReadonlyMap<string, number> = new Map([
  ['identity', identityCode],
  ['sha1', 0x11],
  ['sha2-256', sha256Code],
  ['sha2-512', 0x13],
  ['sha3-512', 0x14],
  ['sha3-384', 0x15],
  ['sha3-256', 0x16],
  ['sha3-224', 0x17],
  ['keccak-256', 0x1b],
  ['dbl-sha2-256', 0x56],
  ['blake2b-512', 0xb240],
  ['blake2s-256', 0xb260],
])

/** What imports may be asked for. */
export type ImportHash = 'sha2-256' | 'sha2-512' | 'identity'

const importCodes: Readonly<Record<ImportHash, number>> = {
  identity: identityCode,
  'sha2-256': sha256Code,
  'sha2-512': 0x13,
}

/** Hash functions of the allow-list that this server can compute. */
const functions: ReadonlyMap<number, (bytes: Uint8Array) => Uint8Array> = new Map([
  [0x11, (bytes: Uint8Array) => digest('sha1', bytes)],
  [sha256Code, (bytes: Uint8Array) => digest('sha256', bytes)],
  [0x13, (bytes: Uint8Array) => digest('sha512', bytes)],
  [0x14, (bytes: Uint8Array) => digest('sha3-512', bytes)],
  [0x15, (bytes: Uint8Array) => digest('sha3-384', bytes)],
  [0x16, (bytes: Uint8Array) => digest('sha3-256', bytes)],
  [0x17, (bytes: Uint8Array) => digest('sha3-224', bytes)],
  [0x1b, keccak256],
  [0x56, (bytes: Uint8Array) => digest('sha256', digest('sha256', bytes))],
  [0xb240, (bytes: Uint8Array) => digest('blake2b512', bytes)],
  [0xb260, (bytes: Uint8Array) => digest('blake2s256', bytes)],
])

/** The multihash of `bytes`. Throws `command_failed` when an identity digest would pass 128 bytes. */
export function multihashOf(name: ImportHash, bytes: Uint8Array): Uint8Array {
  if (name === 'identity') return encodeMultihash(identityCode, checkedIdentity(bytes))
  return encodeMultihash(importCodes[name], computed(importCodes[name], bytes))
}

/**
 * The multihash of `bytes` by the function `code` of `hashNames`, its digest cut to `length` bytes; null =
 * whole. Throws `command_failed` for lengths the digest does not have and digests that are refused anywhere.
 */
export function cutMultihash(code: number, length: number | null, bytes: Uint8Array): Uint8Array {
  const whole = code === identityCode ? checkedIdentity(bytes) : computed(code, bytes)
  const wanted = length ?? whole.length
  if (wanted > whole.length || (code === identityCode && wanted !== whole.length)) {
    throw new Fault('command_failed', { detail: 'requested length was too large for digest' })
  }
  const multihash = encodeMultihash(code, whole.subarray(0, wanted))
  decodeMultihash(multihash)
  return multihash
}

export function encodeMultihash(code: number, digestBytes: Uint8Array): Uint8Array {
  return joinBytes([encodeVarint(code), encodeVarint(digestBytes.length), digestBytes])
}

/**
 * Parts of a multihash on the allow-list; `digest` is a view. Throws `command_failed` with Kubo's texts for
 * others, for digests of refused lengths and for bytes that are no multihash.
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
  if (!allowed(number)) {
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

/** The whole digest of `bytes`. Throws `unverified` for functions of the list that can't be computed here. */
export function computed(code: number, bytes: Uint8Array): Uint8Array {
  const run = functions.get(code)
  if (run === undefined) {
    const detail = `hash function 0x${code.toString(16)} can not be checked by this server`
    throw new Fault('unverified', { detail })
  }
  return run(bytes)
}

function digest(algorithm: string, bytes: Uint8Array): Uint8Array {
  return hashOnce(algorithm, bytes, 'buffer')
}

function checkedIdentity(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= identityBytesMax) return bytes
  const detail = `digest too large: identity digest got ${bytes.length} bytes, maximum ${identityBytesMax}`
  throw new Fault('command_failed', { detail })
}

/** sha1, sha2, sha3, shake-256, keccak, blake3, dbl-sha2-256, blake2b-160..512, blake2s-160..256. */
function allowed(code: number): boolean {
  return (
    (code >= 0x11 && code <= 0x17) ||
    (code >= 0x19 && code <= 0x1e) ||
    code === 0x56 ||
    (code >= 0xb214 && code <= 0xb240) ||
    (code >= 0xb254 && code <= 0xb260)
  )
}
