// The hash functions allowed in CIDs, by multihash code, and their names in options. Codes:
// https://github.com/multiformats/multicodec
// Tested by src/codec/ipld/dag-block.test.ts
import { blake2b, blake2bBytes, blake2s, blake2sBytes, blake3 } from './blake.ts'
import { digest, shake256 } from './digest.ts'
import { keccak, keccak256 } from './keccak.ts'

/** Returns the whole digest in a new array. */
export type HashFunction = (bytes: Uint8Array) => Uint8Array

type Named = { readonly name: string; readonly code: number; readonly run: HashFunction }

const table: readonly Named[] = [
  { name: 'sha1', code: 0x11, run: (bytes) => digest('sha1', bytes) },
  { name: 'sha2-256', code: 0x12, run: (bytes) => digest('sha256', bytes) },
  { name: 'sha2-512', code: 0x13, run: (bytes) => digest('sha512', bytes) },
  { name: 'sha3-512', code: 0x14, run: (bytes) => digest('sha3-512', bytes) },
  { name: 'sha3-384', code: 0x15, run: (bytes) => digest('sha3-384', bytes) },
  { name: 'sha3-256', code: 0x16, run: (bytes) => digest('sha3-256', bytes) },
  { name: 'sha3-224', code: 0x17, run: (bytes) => digest('sha3-224', bytes) },
  { name: 'shake-256', code: 0x19, run: shake256 },
  { name: 'keccak-224', code: 0x1a, run: (bytes) => keccak(224, bytes) },
  { name: 'keccak-256', code: 0x1b, run: keccak256 },
  { name: 'keccak-384', code: 0x1c, run: (bytes) => keccak(384, bytes) },
  { name: 'keccak-512', code: 0x1d, run: (bytes) => keccak(512, bytes) },
  { name: 'blake3', code: 0x1e, run: blake3 },
  {
    name: 'dbl-sha2-256',
    code: 0x56,
    run: (bytes) => digest('sha256', digest('sha256', bytes)),
  },
  ...lengths(blake2bBytes).map((length) => ({
    name: `blake2b-${length * 8}`,
    code: 0xb200 + length,
    run: (bytes: Uint8Array) => blake2b(bytes, length),
  })),
  ...lengths(blake2sBytes).map((length) => ({
    name: `blake2s-${length * 8}`,
    code: 0xb240 + length,
    run: (bytes: Uint8Array) => blake2s(bytes, length),
  })),
]

/** By multihash code. Identity is not included, because it computes no digest. */
export const hashFunctions: ReadonlyMap<number, HashFunction> = new Map(
  table.map(({ code, run }) => [code, run]),
)

/** Multihash codes by name. `sha3` is an older name of its longest form. */
export const hashCodes: ReadonlyMap<string, number> = new Map([
  ...table.map(({ name, code }): [string, number] => [name, code]),
  ['sha3', 0x14],
])

function lengths({ min, max }: { readonly min: number; readonly max: number }): readonly number[] {
  return Array.from({ length: max - min + 1 }, (_, index) => min + index)
}
