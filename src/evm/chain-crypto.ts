// Cryptography for the EVM: WebAssembly for hashing and recovery, JavaScript for blob proofs.
// Tested by src/devchain/engine/engine.test.ts
import type { CustomCrypto } from '@ethereumjs/common'
import { recover } from 'tiny-secp256k1'
import { keccak256 } from '../codec/hash/keccak.ts'
import type { KnownKeys } from './threads/known-keys.ts'
import { createKzg } from './precompiles/blob-crypto.ts'

/** `knownKeys`: public keys that were recovered before. */
export function createCrypto(knownKeys: KnownKeys | null = null): CustomCrypto {
  return {
    keccak256,
    ecrecover: (hash, v, r, s, chainId) => ecrecover(knownKeys, hash, { v, r, s, chainId }),
    kzg: createKzg(),
  }
}

type Signature = {
  readonly v: bigint
  readonly r: Uint8Array
  readonly s: Uint8Array
  readonly chainId: bigint | undefined
}

/** Returns the 64-byte public key. `v`: 0, 1, 27, 28, or per EIP-155 if `chainId` is given. Throws if there is no key. */
function ecrecover(
  knownKeys: KnownKeys | null,
  hash: Uint8Array,
  { v, r, s, chainId }: Signature,
): Uint8Array {
  const parity = v < 2n ? v : chainId === undefined ? v - 27n : v - (chainId * 2n + 35n)
  if (parity !== 0n && parity !== 1n) throw new Error(`no recovery id in v ${v}`)
  const signature = new Uint8Array(64)
  signature.set(r, 32 - r.length)
  signature.set(s, 64 - s.length)
  const yParity = parity === 0n ? 0 : 1
  const key =
    knownKeys?.take({ hash, signature, yParity }) ?? recover(hash, signature, yParity, false)
  if (key === null) throw new Error('the signature recovers to no key')
  return key.subarray(1)
}
