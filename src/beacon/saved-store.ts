// The light client's state as text, for the database: a restart within the age limit needs no new checkpoint. A digest detects
// damage. The text is trusted like the rest of the database.
// Tested by src/beacon/saved-store.test.ts
import { fromHex, toBareHex, toHex } from '../base/hex.ts'
import { digest } from '../codec/hash/digest.ts'
import { affineBytes } from './bls.ts'
import type { BeaconSpec } from './spec.ts'
import type { Committee, LightStore, ProvedHead } from './store.ts'

/** `digest`: SHA-256 of `state`, 64 hex digits. */
export type SavedText = { readonly state: string; readonly digest: string }

export type SavedStore = { readonly checkpoint: Uint8Array; readonly store: LightStore }

type Head = { readonly [Member in keyof ProvedHead]: string | number }
type Keys = { readonly root: string; readonly points: string }

type Text = {
  readonly version: 1
  readonly genesisValidatorsRoot: string
  readonly checkpoint: string
  readonly finalized: Head
  readonly current: Keys
  readonly next: Keys | null
}

export function encodeStore(
  spec: BeaconSpec,
  { checkpoint, store: { finalized, current, next } }: SavedStore,
): SavedText {
  const keys = ({ root, points }: Committee): Keys => ({
    root: toHex(root),
    points: Buffer.from(points).toString('base64'),
  })
  const text: Text = {
    version: 1,
    genesisValidatorsRoot: toHex(spec.genesisValidatorsRoot),
    checkpoint: toHex(checkpoint),
    finalized: {
      ...finalized,
      root: toHex(finalized.root),
      blockHash: toHex(finalized.blockHash),
    },
    current: keys(current),
    next: next === null ? null : keys(next),
  }
  const state = JSON.stringify(text)
  return { state, digest: digestOf(state) }
}

/** Null: damaged, of another format, or of another chain. */
export function decodeStore(spec: BeaconSpec, saved: SavedText): SavedStore | null {
  if (digestOf(saved.state) !== saved.digest) return null
  const text = JSON.parse(saved.state) as Text
  if (text.version !== 1 || text.genesisValidatorsRoot !== toHex(spec.genesisValidatorsRoot)) {
    return null
  }
  const keys = ({ root, points }: Keys): Committee => ({
    root: fromHex(root),
    points: Uint8Array.from(Buffer.from(points, 'base64')),
  })
  const { finalized, current, next, checkpoint } = text
  const head: ProvedHead = {
    root: fromHex(String(finalized.root)),
    slot: Number(finalized.slot),
    blockHash: fromHex(String(finalized.blockHash)),
    signers: Number(finalized.signers),
  }
  const committees = [keys(current), ...(next === null ? [] : [keys(next)])]
  if (committees.some(({ points }) => points.length !== spec.committeeSize * affineBytes))
    return null
  const [first, second = null] = committees
  if (first === undefined) return null
  const store = { finalized: head, optimistic: head, current: first, next: second }
  return { checkpoint: fromHex(checkpoint), store }
}

function digestOf(state: string): string {
  return toBareHex(digest('sha256', Buffer.from(state)))
}
