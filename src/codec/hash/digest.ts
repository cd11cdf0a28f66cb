// Digests computed by OpenSSL.
// Tested by src/codec/hash/hash-functions.test.ts
import { hash } from 'node:crypto'

/**
 * The whole digest of `bytes` by an algorithm of `node:crypto`, in a new array. The digest is returned as text, one character per
 * byte: a Buffer would be outside V8's heap, which adds 25 % to hashing 4 KiB, plus the cost of its collection.
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

/** Writes the characters of `text` as bytes to `into`, starting at `at`. */
export function writeLatin1(text: string, into: Uint8Array, at: number): void {
  for (let index = 0; index < text.length; index += 1) into[at + index] = text.charCodeAt(index)
}
