// keccak256 as Ethereum uses it (the padding before SHA-3). One hasher is reused: a call starts and ends
// it without an await between, so calls never mix.
import { createKeccak } from 'hash-wasm'

const hasher = await createKeccak(256)

/** A fresh array of 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}
