// Pins with missing or unreadable blocks, according to the rows: compares each pin with the index, for a check of the whole store.
// Tested by src/cli/commands/store-verify.test.ts
import { CID } from 'multiformats/cid'
import { findAll, findOne, iterate } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import { findBlockId } from '../../tables/block-scans.ts'
import { findPin, listPinsOfAll } from '../../tables/pins.ts'
import { closureTableExists, listClosures, listIncompleteRoots } from '../../tables/roots.ts'

/**
 * `missing`: one of its blocks is missing, damaged or in quarantine. `hidden`: the pin is stored, but reads of its account do not
 * find it.
 */
export type UnreadablePin = {
  readonly account: string
  readonly cid: string
  readonly reason: 'missing' | 'hidden'
}

/** `bad`: hashes of blocks whose copies failed verification. Yields nothing for a database of an earlier version. */
export function* listUnreadablePins(
  db: Database,
  bad: readonly Uint8Array[],
): Generator<UnreadablePin> {
  if (findOne(db, closureTableExists()) === null) return
  const roots = new Set(findAll(db, listIncompleteRoots()).map(({ root }) => root))
  for (const root of rootsOver(db, bad)) roots.add(root)
  for (const { account_id: accountId, account, cid, root } of iterate(db, listPinsOfAll())) {
    const named = { account: account ?? accountId, cid: textOf(cid) }
    const isFound = findOne(db, findPin(accountId, cid))
    if (isFound === null || account === null) yield { ...named, reason: 'hidden' }
    else if (root !== null && roots.has(root)) yield { ...named, reason: 'missing' }
  }
}

function rootsOver(db: Database, hashes: readonly Uint8Array[]): ReadonlySet<number> {
  const blocks = new Set(hashes.flatMap((hash) => findOne(db, findBlockId(hash))?.id ?? []))
  const roots = new Set<number>()
  if (blocks.size === 0) return roots
  for (const { root, block } of iterate(db, listClosures())) {
    if (blocks.has(block)) roots.add(root)
  }
  return roots
}

/** Bytes that are not a CID as hex, because a row may be damaged. */
function textOf(cid: Uint8Array): string {
  try {
    return CID.decode(cid).toString()
  } catch {
    return `0x${Buffer.from(cid).toString('hex')}`
  }
}
