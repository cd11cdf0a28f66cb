// Pins as rows: statements that change them, and reads of one account's own pins. No statement of this module reads another
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
import type { Files, Pin } from '../files.ts'

export function rootOf(cid: CID, mode: 'recursive' | 'direct'): RootName {
  return { hash: cid.multihash.bytes, codec: cid.code, mode }
}

/** Root of the blocks of a batch that belong to no CID. */
export function looseRoot(batch: string): RootName {
  return { hash: new TextEncoder().encode(batch), codec: 0, mode: 'loose' }
}

/**
 * Adds the pin or replaces its name. `put`: the staged tree with all blocks of the pin; null: the root must already be referenced,
 * otherwise the write fails with `NothingChanged`. A recursive pin replaces a direct one; a direct pin over a recursive one changes
 * no row, so the write also fails with `NothingChanged`.
 */
export function pinStatements(
  accountId: string,
  { cid, mode, name, provide, keyId, request }: Pin,
  put: StagedTree | null,
  now: number,
): readonly Statement[] {
  const root = rootOf(cid, mode)
  const row = { cid: cid.bytes, mode, name, created: now, ...pinnedBy({ provide, keyId }) }
  const add = upsertPin(accountId, row, root, put === null)
  const ended = request === undefined ? [] : finished(accountId, request)
  return [...made(root, put), add, deleteAttemptLeases(accountId, cid.bytes), ...ended]
}

/** The members of a pin that its request determines. */
export function pinnedBy({
  provide,
  keyId,
}: {
  readonly provide: Pin['provide'] | undefined
  readonly keyId: Pin['keyId'] | undefined
}): Pick<Pin, 'provide' | 'keyId'> {
  return { ...(provide && { provide }), ...(keyId !== undefined && { keyId }) }
}

function finished(accountId: string, request: NonNullable<Pin['request']>): readonly Statement[] {
  const { replaces } = request
  const release = replaces === null ? [] : [releasePinOfRequest(accountId, replaces)]
  return [finishPinRequest(request), ...release]
}

/** Removes the pin and the requests that represent it. */
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
 * Pins `to` recursively under the name of the recursive pin `from`; with `unpin` also removes `from`. Fails with `NothingChanged`
 * if `from` is not pinned recursively or `to` already is. `put`: as for `pinStatements`.
 */
export function movePinStatements(
  accountId: string,
  { from, to, unpin, keyId }: Parameters<Files['movePin']>[1],
  put: StagedTree | null,
  now: number,
): readonly Statement[] {
  const root = rootOf(to, 'recursive')
  const pins = { from: from.bytes, to: to.bytes, created: now, keyId }
  const add = copyPin(accountId, pins, root, put === null)
  const remove = unpin ? unpinStatements(accountId, from, true) : []
  return [...made(root, put), add, ...remove, deleteAttemptLeases(accountId, to.bytes)]
}

/** Pins of one account, or with null of any account. `recursive`: with all blocks below, so direct pins do not count. */
type PinnedBy = { readonly accountId: string | null; readonly recursive: boolean }

/**
 * Whether the CID is pinned, as v0 or v1, or is below a recursive pin. For an account with very many leases, only the CIDs of its
 * pins count.
 */
export async function isPinned(
  rows: Rows,
  cid: CID,
  { accountId, recursive }: PinnedBy,
): Promise<boolean> {
  const forms = [cid, ...otherForm(cid)].map(({ bytes }) => bytes)
  const mode = recursive ? 'recursive' : null
  if ((await rows.first(pinOfAnyExists(forms, accountId, mode))) !== null) return true
  return (await rows.first(pinAboveExists(cid.multihash.bytes, forms, accountId))) !== null
}

function otherForm(cid: CID): readonly CID[] {
  if (cid.version === 0) return [cid.toV1()]
  const liftable = cid.code === dagPbCodec && cid.multihash.code === sha256Code
  return liftable ? [cid.toV0()] : []
}

/** Number of pins times blocks that are looked up before yielding to other work. */
const stepLookups = 10_000

/**
 * The account's pins, as `toLatin1` of their CIDs, whose closure contains one of these blocks or is not known yet. Null: any pin
 * may reach them, because no closure contains identity CIDs.
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
