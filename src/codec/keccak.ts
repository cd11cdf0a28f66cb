// keccak256 as Ethereum uses it (the padding before SHA-3). One hasher is reused: a call starts and ends
// it without an await between, so calls never mix.
import { createKeccak } from 'hash-wasm'

const hasher = await createKeccak(256)

// Short input is hashed from here: the hasher looks at the buffer under an array, and V8 has to make one for an
// array that it keeps on its own heap.
const shortMax = 64
const scratch = new Uint8Array(new ArrayBuffer(shortMax))

/** A fresh array of 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  if (bytes.length > shortMax) return hasher.init().update(bytes).digest('binary')
  scratch.set(bytes)
  return hasher.init().update(scratch.subarray(0, bytes.length)).digest('binary')
}
