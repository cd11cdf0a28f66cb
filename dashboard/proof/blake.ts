// BLAKE2 and BLAKE3 in JavaScript. Replaces src/codec/hash/blake.ts in the dashboard, because the content policy forbids WebAssembly.
// Tested by dashboard/proof/proof-steps.test.ts
import { blake2b as hash2b, blake2s as hash2s } from '@noble/hashes/blake2.js'
import { blake3 as hash3 } from '@noble/hashes/blake3.js'

export const blake2bBytes = { min: 20, max: 64 } as const
export const blake2sBytes = { min: 20, max: 32 } as const

/** `digestBytes`: 20 to 64. */
export function blake2b(bytes: Uint8Array, digestBytes: number): Uint8Array {
  return hash2b(bytes, { dkLen: digestBytes })
}

/** `digestBytes`: 20 to 32. */
export function blake2s(bytes: Uint8Array, digestBytes: number): Uint8Array {
  return hash2s(bytes, { dkLen: digestBytes })
}

/** Returns a new array of 32 bytes. */
export function blake3(bytes: Uint8Array): Uint8Array {
  return hash3(bytes)
}
