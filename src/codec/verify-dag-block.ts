// The proof of an IPFS block: its bytes hash to the digest of the multihash it was asked by.
import { equalBytes } from '../base/hex.ts'
import { Fault } from '../base/fault.ts'
import { computed, decodeMultihash, identityCode } from './multihash.ts'

/**
 * `multihash`: code, length, digest (a digest of 20 bytes or more may be cut short). Throws `unverified` when
 * `bytes` are something else or the function can't be computed here, `command_failed` for refused functions.
 */
export function verifyDagBlock(multihash: Uint8Array, bytes: Uint8Array): void {
  const { code, digest } = decodeMultihash(multihash)
  const whole = code === identityCode ? bytes : computed(code, bytes)
  const compared = code === identityCode ? whole : whole.subarray(0, digest.length)
  if (!equalBytes(compared, digest)) {
    throw new Fault('unverified', { detail: 'block bytes do not match their hash' })
  }
}
