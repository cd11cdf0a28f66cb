// Digests by OpenSSL.
// Tested by src/codec/hash/hash-functions.test.ts
import { hash } from 'node:crypto'

/**
 * The whole digest of `bytes` by an algorithm that `node:crypto` knows, in a fresh array. It goes by way of text, one
 * character a byte: a Buffer would lie outside of V8's heap, which costs a quarter of hashing 4 KiB, and more later when
 * it is collected.
 */
export function digest(algorithm: string, bytes: Uint8Array): Uint8Array {
  const text = hash(algorithm, bytes, 'binary')
  const whole = new Uint8Array(text.length)
  writeLatin1(text, whole, 0)
  return whole
}

/** 64 bytes, the default digest length in multihashes. */
export function shake256(bytes: Uint8Array): Uint8Array {
  return hash('shake256', bytes, { outputEncoding: 'buffer', outputLength: 64 })
}

/** The characters of `text` as bytes, from `at` on. */
export function writeLatin1(text: string, into: Uint8Array, at: number): void {
  for (let index = 0; index < text.length; index += 1) into[at + index] = text.charCodeAt(index)
}
