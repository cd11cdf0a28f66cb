// When a multihash is announced: at a fixed phase of the interval, determined by its position in the DHT's keyspace (kad = sha256
// of the multihash). So announcements are spread over the interval, neighbours in the DHT follow one another, and only the next
// time is stored. Source: https://github.com/libp2p/specs/tree/master/kad-dht. Pure.
// Tested by src/ipfs/network/provide-times.test.ts
import { hash } from 'node:crypto'

/** Number of bits that select a region, whose peers are found together: 512 regions. */
export const regionBits = 9

/** The DHT's key of a multihash, 32 bytes. */
export function kadOf(multihash: Uint8Array): Uint8Array {
  return hash('sha256', multihash, 'buffer')
}

/** How early an announcement may be, so that neighbours are announced together: a 512th of the interval, at least a minute. */
export function earlyOf(intervalMs: number): number {
  return Math.max(60_000, Math.ceil(intervalMs / 2 ** regionBits))
}

/** Position of the key in the keyspace, from 0 to below 1. */
export function placeOf(kad: Uint8Array): number {
  return Buffer.from(kad.buffer, kad.byteOffset, kad.byteLength).readUIntBE(0, 6) / 2 ** 48
}

/** The first time after `after` that matches the phase, at most an interval later. Milliseconds. */
export function phaseAfter(place: number, after: number, intervalMs: number): number {
  const phase = place * intervalMs
  const cycles = Math.floor((after - phase) / intervalMs) + 1
  return Math.floor(phase + cycles * intervalMs)
}

/**
 * The time of the next announcement. If the phase is between half an interval and an interval away: at the phase. Otherwise, after
 * an announcement off its phase, three quarters of an interval later; the one after that is at the phase. No gap is longer than the
 * interval plus the permitted earliness.
 */
export function nextAfter(place: number, announced: number, intervalMs: number): number {
  const next = phaseAfter(place, announced + intervalMs / 2, intervalMs)
  return next - announced <= intervalMs + earlyOf(intervalMs)
    ? next
    : Math.floor(announced + (3 / 4) * intervalMs)
}

/** The first `bits` bits of a key, as a number. At most 32 bits. */
export function regionOf(kad: Uint8Array, bits: number): number {
  return Math.floor(placeOf(kad) * 2 ** bits)
}
