// BLAKE2b and BLAKE2s with digests of any length, and BLAKE3. The length is part of the function: a shorter digest
// is not a prefix of a longer one. Rules: RFC 7693, https://github.com/BLAKE3-team/BLAKE3-specs
import { createBLAKE2b, createBLAKE2s, createBLAKE3, type IHasher } from 'hash-wasm'

/** A new array of `digestBytes` bytes. */
export type Blake2 = (bytes: Uint8Array, digestBytes: number) => Uint8Array

/** Digest lengths in bytes. The minimum is 20, because shorter digests are refused everywhere. */
export const blake2bBytes = { min: 20, max: 64 } as const
export const blake2sBytes = { min: 20, max: 32 } as const

/** `digestBytes`: 20 to 64. */
export const blake2b = await createBlake2(createBLAKE2b, blake2bBytes)
/** `digestBytes`: 20 to 32. */
export const blake2s = await createBlake2(createBLAKE2s, blake2sBytes)

const thirdHasher = await createBLAKE3()

/** A new array of 32 bytes. */
export function blake3(bytes: Uint8Array): Uint8Array {
  return thirdHasher.init().update(bytes).digest('binary')
}

/**
 * One hasher for all lengths: it starts from the saved state of a new hasher of the requested length. A call initializes and
 * finalizes it without an await in between, so calls never mix.
 */
async function createBlake2(
  createHasher: (bits: number) => Promise<IHasher>,
  { min, max }: { readonly min: number; readonly max: number },
): Promise<Blake2> {
  const hasher = await createHasher(max * 8)
  const states: Uint8Array[] = []
  for (let length = min; length <= max; length += 1) {
    states[length] = (await createHasher(length * 8)).init().save()
  }
  return (bytes, digestBytes) => {
    const state = states[digestBytes]
    if (state === undefined) throw new RangeError(`no digest of ${digestBytes} bytes`)
    return hasher.load(state).update(bytes).digest('binary').slice(0, digestBytes)
  }
}
