// Verification of an IPFS block: its bytes have the digest of the requested multihash.
import { createHash, hash } from 'node:crypto'
import { equalBytes } from '../../base/hex.ts'
import { Fault } from '../../base/fault.ts'
import { leafPrefix, leafSuffix } from './leaf-frame.ts'
import { computed, decodeMultihash, identityCode, isSha256Name, sha256Code } from './multihash.ts'

/**
 * `multihash`: code, length, digest (a digest of 20 bytes or more may be cut short). Throws `unverified` when
 * `bytes` are something else or the function can't be computed here, `command_failed` for refused functions.
 */
export function verifyDagBlock(multihash: Uint8Array, bytes: Uint8Array): void {
  if (isSha256Name(multihash)) {
    // A digest as text, one character a byte, is the one that costs least to make.
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

/** Whether `bytes` from `from` on are the characters of `text`. */
function isText(text: string, bytes: Uint8Array, from: number): boolean {
  if (bytes.length - from !== text.length) return false
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== bytes[from + at]) return false
  }
  return true
}

/**
 * The same of a dag-pb leaf, by the file bytes in it: its block is never put together. Throws `unverified` when
 * it is another, or when the multihash is none of sha2-256, by which all such leaves are named.
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
