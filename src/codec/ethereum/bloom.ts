// The 2048-bit bloom of a block's log addresses and topics (Yellow Paper 4.4.3). It has false positives, but no false
// negatives.
import { keccak256 } from '../hash/keccak.ts'

/** The three bits that a value sets, 0 to 2047; bit 0 is the lowest bit of the bloom's last byte. */
export type BloomBits = readonly [number, number, number]

export function bloomBits(value: Uint8Array): BloomBits {
  const digest = keccak256(value)
  const bit = (at: number) => (((digest[at] ?? 0) << 8) | (digest[at + 1] ?? 0)) & 0x7ff
  return [bit(0), bit(2), bit(4)]
}

/** `bloom`: 256 bytes. False if no log of the block has the value of `bits` as address or topic. */
export function mayHold(bloom: Uint8Array, bits: BloomBits): boolean {
  return bits.every((bit) => ((bloom[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0)
}
