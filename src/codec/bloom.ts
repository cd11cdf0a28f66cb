// The 2048-bit bloom of a block's log addresses and topics (Yellow Paper 4.4.3): it may say yes in vain, a
// no is certain.
import { keccak256 } from './keccak.ts'

/** `bloom`: 256 bytes. False when no log of the block has `value` as its address or as a topic. */
export function mayHold(bloom: Uint8Array, value: Uint8Array): boolean {
  const digest = keccak256(value)
  for (let at = 0; at < 6; at += 2) {
    const bit = (((digest[at] ?? 0) << 8) | (digest[at + 1] ?? 0)) & 0x7ff
    // Bit 0 is the lowest of the last byte.
    if (((bloom[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false
  }
  return true
}
