// When a multihash is announced: at a fixed phase of the interval, by its place in the DHT's keyspace (kad = sha256 of the
// multihash). So announcements spread over the interval, neighbours in the DHT follow one another, and nothing else needs
// storing. Source: https://github.com/libp2p/specs/tree/master/kad-dht. Pure.
// Tested by src/ipfs/network/provide-times.test.ts
import { hash } from 'node:crypto'

/** Parts of the keyspace whose peers are found together: 512. */
export const regionBits = 9

/** The DHT's key of a multihash, 32 bytes. */
export function kadOf(multihash: Uint8Array): Uint8Array {
  return hash('sha256', multihash, 'buffer')
}

/** Most that an announcement may be early, so that neighbours go together: a 512th of the interval, from a minute on. */
export function earlyOf(intervalMs: number): number {
  return Math.max(60_000, Math.ceil(intervalMs / 2 ** regionBits))
}

/** Where the key lies in the keyspace, from 0 up to 1. */
export function placeOf(kad: Uint8Array): number {
  return Buffer.from(kad.buffer, kad.byteOffset, kad.byteLength).readUIntBE(0, 6) / 2 ** 48
}

/** The first time of its phase after `after`, at most an interval later. Milliseconds. */
export function phaseAfter(place: number, after: number, intervalMs: number): number {
  const phase = place * intervalMs
  const cycles = Math.floor((after - phase) / intervalMs) + 1
  return Math.floor(phase + cycles * intervalMs)
}

/**
 * When to announce again after an announcement: at its phase if that is half an interval to an interval away. Else, after an
 * announcement off its phase, three quarters later: a second time brings it to its phase. No gap is longer than the interval and
 * what an announcement may be early.
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
