// Keccak with the padding before SHA-3: keccak256 as Ethereum uses it, and its other lengths for IPFS blocks. One
// hasher is reused for each: a call starts and ends it without an await between, so calls never mix.
import { createKeccak } from 'hash-wasm'

const hasher = await createKeccak(256)
const others = {
  224: await createKeccak(224),
  384: await createKeccak(384),
  512: await createKeccak(512),
} as const

// Short input is hashed from this buffer: the hasher reads the buffer under an array, and V8 would allocate one for an
// array that is stored on its own heap.
const shortMax = 64
const scratch = new Uint8Array(new ArrayBuffer(shortMax))

/** A fresh array of 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  if (bytes.length > shortMax) return hasher.init().update(bytes).digest('binary')
  scratch.set(bytes)
  return hasher.init().update(scratch.subarray(0, bytes.length)).digest('binary')
}

/** A fresh array of `bits` / 8 bytes. */
export function keccak(bits: keyof typeof others, bytes: Uint8Array): Uint8Array {
  return others[bits].init().update(bytes).digest('binary')
}
