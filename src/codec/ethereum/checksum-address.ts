// Formats an address with a checksum in the case of its letters (EIP-55).
import { toBareHex } from '../../base/hex.ts'
import { keccak256 } from '../hash/keccak.ts'

/** `address`: 20 bytes. */
export function toChecksumAddress(address: Uint8Array): string {
  const digits = toBareHex(address)
  const marks = toBareHex(keccak256(new TextEncoder().encode(digits)))
  const letters = Array.from(digits, (digit, at) =>
    (marks[at] ?? '0') >= '8' ? digit.toUpperCase() : digit,
  )
  return `0x${letters.join('')}`
}
