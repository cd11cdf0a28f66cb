// Verifies an IPFS block: its bytes must have the digest of the requested multihash.
import { createHash, hash } from 'node:crypto'
import { equalBytes } from '../../base/hex.ts'
import { Fault } from '../../base/fault.ts'
import { leafPrefix, leafSuffix } from './leaf-frame.ts'
import { computed, decodeMultihash, identityCode, isSha256Name, sha256Code } from './multihash.ts'

/**
 * `multihash`: code, length, digest (which may be truncated to 20 bytes or more). Throws `unverified` if `bytes` have another
 * digest or the function is not supported, `command_failed` for refused functions.
 */
export function verifyDagBlock(multihash: Uint8Array, bytes: Uint8Array): void {
  if (isSha256Name(multihash)) {
    // A digest as text, one character per byte, is the fastest form to compute.
    if (isText(hash('sha256', bytes, 'binary'), multihash, 2)) return
    throw new Fault('unverified', { detail: otherBytes })
  }
  const { code, digest } = decodeMultihash(multihash)
  const whole = code === identityCode ? bytes : computed(code, bytes)
  const compared = code === identityCode ? whole : whole.subarray(0, digest.length)
  if (!equalBytes(compared, digest)) {
    throw new Fault('unverified', { detail: otherBytes })
  }
}

const otherBytes = 'block bytes do not match their hash'

/** True if `bytes` from `from` on are the characters of `text`. */
function isText(text: string, bytes: Uint8Array, from: number): boolean {
  if (bytes.length - from !== text.length) return false
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== bytes[from + at]) return false
  }
  return true
}

/**
 * Verifies a dag-pb leaf by its file bytes, without building its block. Throws `unverified` if it has another digest, or if the
 * multihash is not sha2-256, the function of all such leaves.
 */
export function verifyLeaf(multihash: Uint8Array, data: Uint8Array): void {
  const { code, digest } = decodeMultihash(multihash)
  const whole = createHash('sha256')
    .update(leafPrefix(data.length))
    .update(data)
    .update(leafSuffix(data.length))
    .digest()
  if (code !== sha256Code || !equalBytes(whole.subarray(0, digest.length), digest)) {
    throw new Fault('unverified', { detail: 'leaf bytes do not match their hash' })
  }
}
