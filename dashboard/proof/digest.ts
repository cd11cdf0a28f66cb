// Digests in JavaScript. Replaces src/codec/hash/digest.ts in the dashboard: a browser has no node:crypto.
// Tested by dashboard/proof/proof-steps.test.ts
import { sha1 } from '@noble/hashes/legacy.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { sha3_224, sha3_256, sha3_384, sha3_512, shake256 as shake } from '@noble/hashes/sha3.js'

const functions: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  sha1,
  sha256,
  sha512,
  'sha3-224': sha3_224,
  'sha3-256': sha3_256,
  'sha3-384': sha3_384,
  'sha3-512': sha3_512,
}

/** Returns a new array. `algorithm`: name in node:crypto. */
export function digest(algorithm: string, bytes: Uint8Array): Uint8Array {
  const run = functions[algorithm]
  if (run === undefined) throw new RangeError(`no digest ${algorithm}`)
  return run(bytes)
}

/** 64 bytes. */
export function shake256(bytes: Uint8Array): Uint8Array {
  return shake(bytes, { dkLen: 64 })
}

/** Writes the characters of `text` as bytes, starting at `at`. */
export function writeLatin1(text: string, into: Uint8Array, at: number): void {
  for (let index = 0; index < text.length; index += 1) into[at + index] = text.charCodeAt(index)
}
