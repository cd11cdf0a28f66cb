// Pins as rows: the statements that change them and the reads of one account's own. No statement here reads another
// account's rows.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import { type RootName, type StagedTree, insertRoot } from '../../tables/roots.ts'
import { setImmediate } from 'node:timers/promises'
import { toLatin1 } from '../../base/hex.ts'
import { dagPbCodec } from '../../codec/ipld/cid.ts'
import { identityCode, sha256Code } from '../../codec/ipld/multihash.ts'
import type { Rows } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'
import { deleteAttemptLeases } from '../../tables/leases.ts'
import { listPinsAboveAny, pinAboveExists, pinOfAnyExists } from '../../tables/pinned-blocks.ts'
import {
  deletePinnedRequests,
  finishPinRequest,
  releasePinOfRequest,
} from '../../tables/pinning/pin-requests.ts'
import { copyPin, deletePin, upsertPin } from '../../tables/pins.ts'
import type { Pin } from '../files.ts'

export function rootOf(cid: CID, mode: 'recursive' | 'direct'): RootName {
  return { hash: cid.multihash.bytes, codec: cid.code, mode }
}

/** The root of a batch that no CID names. */
export function looseRoot(batch: string): RootName {
  return { hash: new TextEncoder().encode(batch), codec: 0, mode: 'loose' }
}

/**
 * Adds the pin or replaces its name. `put`: where the commit finds all blocks that it reaches; null: the root is already
 * referenced, or the write fails with `NothingChanged`. A recursive pin takes the place of a direct one; a direct pin over a
 * recursive one changes no row, so the write fails in the same way.
 */
export function pinStatements(
  accountId: string,
  { cid, mode, name, provide, request }: Pin,
  put: StagedTree | null,
  now: number,
): readonly Statement[] {
  const root = rootOf(cid, mode)
  const row = { cid: cid.bytes, mode, name, created: now, ...(provide && { provide }) }
  const add = upsertPin(accountId, row, root, put === null)
  const ended = request === undefined ? [] : finished(accountId, request)
  return [...made(root, put), add, deleteAttemptLeases(accountId, cid.bytes), ...ended]
}

function finished(accountId: string, request: NonNullable<Pin['request']>): readonly Statement[] {
  const { replaces } = request
  const release = replaces === null ? [] : [releasePinOfRequest(accountId, replaces)]
  return [finishPinRequest(request), ...release]
}

/** Removes the pin and the requests that stand for it. */
export function unpinStatements(
  accountId: string,
  cid: CID,
  recursive: boolean,
): readonly Statement[] {
  return [
    deletePin(accountId, cid.bytes, recursive),
    ...(recursive ? [deletePinnedRequests(accountId, cid.bytes)] : []),
  ]
}

function made(root: RootName, put: StagedTree | null): readonly Statement[] {
  return put === null ? [] : insertRoot(root, put)
}

/**
 * Pins `to` recursively under the name of the recursive pin `from`, and with `unpin` removes that. Fails with
 * `NothingChanged` when there is no such pin or `to` is pinned recursively already. `put`: as for `pinStatements`.
 */
export function movePinStatements(
  accountId: string,
  { from, to, unpin }: { readonly from: CID; readonly to: CID; readonly unpin: boolean },
  put: StagedTree | null,
  now: number,
): readonly Statement[] {
  const root = rootOf(to, 'recursive')
  const pins = { from: from.bytes, to: to.bytes, created: now }
  const add = copyPin(accountId, pins, root, put === null)
  const remove = unpin ? unpinStatements(accountId, from, true) : []
  return [...made(root, put), add, ...remove, deleteAttemptLeases(accountId, to.bytes)]
}

/** Whose pins count: one account's, or with null any account's. `whole`: with all below, which a direct pin does not store. */
type PinnedBy = { readonly accountId: string | null; readonly whole: boolean }

/**
 * Is the CID pinned, as v0 or v1, or does it lie below a recursive pin? For an account with very many leases, only the
 * CIDs of its pins count.
 */
export async function isPinned(
  rows: Rows,
  cid: CID,
  { accountId, whole }: PinnedBy,
): Promise<boolean> {
  const forms = [cid, ...otherForm(cid)].map(({ bytes }) => bytes)
  const mode = whole ? 'recursive' : null
  if ((await rows.first(pinOfAnyExists(forms, accountId, mode))) !== null) return true
  return (await rows.first(pinAboveExists(cid.multihash.bytes, forms, accountId))) !== null
}

function otherForm(cid: CID): readonly CID[] {
  if (cid.version === 0) return [cid.toV1()]
  const liftable = cid.code === dagPbCodec && cid.multihash.code === sha256Code
  return liftable ? [cid.toV0()] : []
}

/** Pins times blocks that are looked up before other work has its turn. */
const stepLookups = 10_000

/**
 * The account's pins, as `toLatin1` of their CIDs, whose closure has one of these blocks, or is not known yet. Null: any may, because
 * a block that lies in its own CID is in no closure.
 */
export async function pinsOver(
  rows: Rows,
  accountId: string,
  sought: readonly CID[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | null> {
  if (sought.some(({ multihash }) => multihash.code === identityCode)) return null
  const hashes = sought.map(({ multihash }) => multihash.bytes)
  const step = Math.max(1, Math.floor(stepLookups / Math.max(1, hashes.length)))
  const found = new Set<string>()
  let after: Uint8Array = new Uint8Array()
  for (;;) {
    signal.throwIfAborted()
    const page = await rows.find(listPinsAboveAny(accountId, hashes, after, step))
    for (const { cid, above } of page) if (above === 1) found.add(toLatin1(cid))
    const last = page.at(-1)
    if (last === undefined || page.length < step) return found
    after = last.cid
    await setImmediate()
  }
}
