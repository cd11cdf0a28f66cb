// Public key recovery in JavaScript: replaces the only function of tiny-secp256k1 that the code uses.
// Tested by test/browser/proof.test.ts
import { secp256k1 } from '@noble/curves/secp256k1.js'

export function recover(
  hash: Uint8Array,
  signature: Uint8Array,
  recoveryId: 0 | 1 | 2 | 3,
  compressed: boolean,
): Uint8Array {
  const recoverable = secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(recoveryId)
  return recoverable.recoverPublicKey(hash).toBytes(compressed)
}
