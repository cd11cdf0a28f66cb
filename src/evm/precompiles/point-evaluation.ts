// Only the point evaluation of blobs (EIP-4844). It needs one point of the trusted setup instead of all 3 MB. The builds of the
// verifiers use it in place of blob-crypto.ts.
// Tested by src/evm/precompiles/point-evaluation.test.ts
import type { KZG } from '@ethereumjs/util'
import { KZG as PointKzg } from 'micro-eth-signer/kzg.js'

/** Generators of BLS12-381, compressed. */
const g1 =
  '0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'
const g2 =
  '0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'

/** The secret of the ceremony times the generator: `g2_monomial[1]` of consensus-specs presets/mainnet/trusted_setups. */
export const secretG2 =
  '0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

/** Every function except `verifyProof` throws: calls use no other. */
export function createKzg(): KZG {
  let loaded: PointKzg | null = null
  const kzg = (): PointKzg =>
    (loaded ??= new PointKzg({ g1_lagrange: [g1, g1], g2_monomial: [g2, secretG2] }))
  return {
    verifyProof: (commitment, z, y, proof) => kzg().verifyProof(commitment, z, y, proof),
    blobToKzgCommitment: refuse,
    computeBlobProof: refuse,
    verifyBlobProofBatch: refuse,
    computeCells: refuse,
    computeCellsAndProofs: refuse,
    recoverCellsAndProofs: refuse,
    verifyCellKzgProofBatch: refuse,
  }
}

function refuse(): never {
  throw new Error('this program has only one point of the setup of blobs')
}
