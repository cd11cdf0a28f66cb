// Keccak with the padding from before SHA-3: keccak256 as Ethereum uses it, and other lengths for IPFS blocks. One hasher is
// reused for each length: a call initializes and finalizes it without an await in between, so calls never mix.
import { createKeccak } from 'hash-wasm'

const hasher = await createKeccak(256)
const others = {
  224: await createKeccak(224),
  384: await createKeccak(384),
  512: await createKeccak(512),
} as const

// Short input is copied to this buffer before hashing: the hasher accesses the ArrayBuffer of its input, which V8 would otherwise
// allocate for an array on its own heap.
const shortMax = 64
const scratch = new Uint8Array(new ArrayBuffer(shortMax))

/** A new array of 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  if (bytes.length > shortMax) return hasher.init().update(bytes).digest('binary')
  scratch.set(bytes)
  return hasher.init().update(scratch.subarray(0, bytes.length)).digest('binary')
}

/** A new array of `bits` / 8 bytes. */
export function keccak(bits: keyof typeof others, bytes: Uint8Array): Uint8Array {
  return others[bits].init().update(bytes).digest('binary')
}
