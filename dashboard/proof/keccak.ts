// Keccak in JavaScript. Replaces src/codec/hash/keccak.ts in the dashboard, because the content policy forbids WebAssembly.
// Tested by dashboard/proof/proof-steps.test.ts
import { keccak_224, keccak_256, keccak_384, keccak_512 } from '@noble/hashes/sha3.js'

const others = { 224: keccak_224, 384: keccak_384, 512: keccak_512 } as const

/** Returns a new array of 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}

/** Returns a new array of `bits` / 8 bytes. */
export function keccak(bits: keyof typeof others, bytes: Uint8Array): Uint8Array {
  return others[bits](bytes)
}
