// Finds all DHT peers in a part of the keyspace with a few walks. Each walk returns the peers closest to one key, which shows that
// the keys around it have no other peers; further walks start in parts not covered yet. Pure, except for random keys. Source:
// https://github.com/libp2p/specs/tree/master/kad-dht.
// Tested by src/ipfs/network/child/dht-zone.test.ts
import { randomBytes } from 'node:crypto'
import { kadOf } from '../provide-times.ts'

/** `kad`: position of the peer in the keyspace, sha256 of the bytes of its ID. */
export type DhtPeer = {
  readonly id: string
  readonly kad: Uint8Array
  readonly addresses: readonly string[]
}

/** `prefix`: common first bits of the zone's keys, as digits 0 and 1; '' is the whole keyspace. */
export type Zone = { readonly prefix: string; readonly peers: readonly DhtPeer[] }

export type ZoneParts = {
  /** The peers closest to a key; `peersOfRecord` of them if the DHT has that many. */
  readonly walk: (key: Uint8Array) => Promise<readonly DhtPeer[]>
  /** Whether the DHT has fewer peers than a record needs, so that one walk finds all of them. */
  readonly isSmall: () => boolean
}

/** Number of peers that store a record: `k` in the specification. */
export const peersOfRecord = 20
/** Walks per zone, even if peers send false information about others. */
const walksMax = 32
/** Digits of a key that are compared. */
const digitsMax = 24
/** Digits of a key that are found by trying multihashes: 16,384 hashes. */
const keyDigitsMax = 14
const keyTriesMax = 2 ** 20

/** The first digits of a key. */
export function digitsOf(kad: Uint8Array): string {
  const bytes = Buffer.from(kad.buffer, kad.byteOffset, kad.byteLength)
  return bytes
    .readUIntBE(0, digitsMax / 8)
    .toString(2)
    .padStart(digitsMax, '0')
}

/**
 * The smallest zone around `prefix` that has enough peers for a record, so that it contains the closest peers of each of its
 * keys. Null: no peer answered.
 */
export async function findZone(prefix: string, { walk, isSmall }: ZoneParts): Promise<Zone | null> {
  const peers = new Map<string, DhtPeer>()
  const known: string[] = []
  let zone = prefix
  for (let walks = 0; walks < walksMax;) {
    const gap = findGap(zone, known)
    const inside = [...peers.values()].filter(({ kad }) => digitsOf(kad).startsWith(zone))
    if (gap === null && (inside.length >= peersOfRecord || zone === '')) {
      return { prefix: zone, peers: inside }
    }
    if (gap === null) {
      zone = zone.slice(0, -1)
      continue
    }
    const key = keyIn(gap)
    const found = await walk(key)
    if (found.length === 0) return null
    walks += 1
    for (const peer of found) peers.set(peer.id, peer)
    const isAll = found.length < peersOfRecord && isSmall()
    known.push(isAll ? '' : knownBy(digitsOf(kadOf(key)), found))
  }
  return { prefix: zone, peers: [...peers.values()] }
}

/** The largest part around the key in which a walk that ended with `found` met every peer. */
function knownBy(key: string, found: readonly DhtPeer[]): string {
  const shared = found.map(({ kad }) => sharedLength(key, digitsOf(kad)))
  return key.slice(0, Math.min(...shared) + 1)
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

/** The first part of `zone` that no walk has covered; null: all of it is covered. */
function findGap(zone: string, known: readonly string[]): string | null {
  if (known.some((part) => zone.startsWith(part))) return null
  if (!known.some((part) => part.startsWith(zone))) return zone
  return findGap(`${zone}0`, known) ?? findGap(`${zone}1`, known)
}

/** Finds, by trying, a multihash whose key begins with the digits. */
function keyIn(digits: string): Uint8Array {
  const key = Buffer.concat([Uint8Array.of(0x12, 32), randomBytes(32)])
  const start = digits.slice(0, keyDigitsMax)
  for (let tries = 0; tries < keyTriesMax; tries++) {
    key.writeUInt32BE(tries, 2)
    if (digitsOf(kadOf(key)).startsWith(start)) break
  }
  return key
}

/** The `peersOfRecord` peers that are closest to the key. */
export function closestPeers(kad: Uint8Array, peers: readonly DhtPeer[]): readonly DhtPeer[] {
  return peers
    .toSorted((one, other) => compareDistance(kad, one.kad, other.kad))
    .slice(0, peersOfRecord)
}

function compareDistance(kad: Uint8Array, one: Uint8Array, other: Uint8Array): number {
  for (let at = 0; at < kad.length; at++) {
    const from = kad[at] ?? 0
    const difference = (from ^ (one[at] ?? 0)) - (from ^ (other[at] ?? 0))
    if (difference !== 0) return difference
  }
  return 0
}
