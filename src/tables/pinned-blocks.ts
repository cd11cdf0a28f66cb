// Tables `pin`, `closure` and `charge`: the pins that reach a block.
// Tested by src/ipfs/files.test.ts, src/kubo/commands/dag/block-rm.test.ts
import { placeholders, query, type Query } from '../db/rows.ts'
import type { PinMode } from './pins.ts'

/** Maximum number of an account's leases that `pinAboveExists` examines. */
const leasesMax = 1000

type Found = { readonly found: number }

/** Returns one row if the account, or with null any account, has a pin of one of the CIDs. */
export function pinOfAnyExists(
  cids: readonly Uint8Array[],
  accountId: string | null,
  mode: 'recursive' | null,
): Query<Found> {
  const ofMode = mode === null ? '' : ` AND mode = '${mode}'`
  const pinned = `SELECT 1 FROM pin WHERE account_id = account.id AND cid IN (${placeholders(cids)})${ofMode}`
  const own = accountId === null ? '' : 'account.id = ? AND '
  // By account, because the primary key begins with the account.
  return query(`SELECT 1 AS found FROM account WHERE ${own}EXISTS (${pinned}) LIMIT 1`, [
    ...namedBy(accountId),
    ...cids,
  ])
}

/**
 * Returns one row if the block is below a recursive pin of the account, or with null of any account: more of its roots reach the
 * block than those that are only leased, are being released in steps, or belong to direct pins of `cids` (the forms of the block's
 * CID), or to its MFS tree. No row for an account with very many leases.
 */
export function pinAboveExists(
  multihash: Uint8Array,
  cids: readonly Uint8Array[],
  accountId: string | null,
): Query<Found> {
  const own = accountId === null ? '' : ' AND storage.account_id = ?'
  return query(
    `SELECT 1 AS found FROM block
    JOIN charge ON charge.block = block.id
    JOIN account_storage AS storage ON storage.id = charge.storage
    WHERE block.hash = ?${own}
      AND (SELECT count(*) FROM (SELECT 1 FROM lease WHERE lease.account_id = storage.account_id
        LIMIT ${leasesMax + 1}) AS first_leases) <= ${leasesMax}
      AND charge.roots > (SELECT count(*) FROM lease
        JOIN holding ON holding.storage = storage.id AND holding.root = lease.root AND holding.claims = 1
        JOIN closure ON closure.root = lease.root AND closure.block = block.id
        WHERE lease.account_id = storage.account_id)
        + (SELECT count(*) FROM releasing
        JOIN closure ON closure.root = releasing.root AND closure.block = block.id
        WHERE releasing.storage = storage.id AND releasing.after < block.id)
        + (SELECT count(DISTINCT pin.root) FROM pin
        WHERE pin.account_id = storage.account_id AND pin.mode = 'direct' AND pin.cid IN (${placeholders(cids)}))
        + (SELECT count(*) FROM mfs_block
        WHERE mfs_block.storage = storage.id AND mfs_block.hash = block.hash AND mfs_block.held = 1)
    LIMIT 1`,
    [multihash, ...namedBy(accountId), ...cids],
  )
}

/** A pin of the account whose CID is that of the block, a recursive one first. */
export function findPinOfBlock(
  accountId: string,
  multihash: Uint8Array,
): Query<{ readonly mode: PinMode }> {
  return query(
    `SELECT pin.mode AS mode FROM root JOIN pin ON pin.root = root.id AND pin.account_id = ?
        WHERE root.hash = ? ORDER BY pin.mode DESC LIMIT 1`,
    [accountId, multihash],
  )
}

/** `above` 1: the pin reaches one of the blocks, or is not counted yet. */
export type PinAboveRow = { readonly cid: Uint8Array; readonly above: number }

/** The account's pins by CID after `after`, compared with one block. */
export function listPinsAbove(
  accountId: string,
  multihash: Uint8Array,
  after: Uint8Array,
  limit: number,
): Query<PinAboveRow> {
  return query(
    `SELECT pin.cid AS cid, pin.root IS NULL OR EXISTS (SELECT 1 FROM closure JOIN block
            ON block.id = closure.block AND block.hash = ? WHERE closure.root = pin.root) AS above
          FROM pin WHERE account_id = ? AND cid > ? ORDER BY cid LIMIT ${limit}`,
    [multihash, accountId, after],
  )
}

/** The account's pins by CID after `after`, compared with several blocks. */
export function listPinsAboveAny(
  accountId: string,
  multihashes: readonly Uint8Array[],
  after: Uint8Array,
  limit: number,
): Query<PinAboveRow> {
  return query(
    `SELECT pin.cid AS cid, pin.root IS NULL OR EXISTS (SELECT 1 FROM block CROSS JOIN closure
      ON closure.root = pin.root AND closure.block = block.id
      WHERE block.hash IN (${placeholders(multihashes)})) AS above
    FROM pin WHERE account_id = ? AND cid > ? ORDER BY cid LIMIT ${limit}`,
    [...multihashes, accountId, after],
  )
}

/** `others`: number of the account's roots that contain the block and are not the block itself. `tree` 1: its MFS tree contains it. */
type BlockUses = { readonly others: number; readonly tree: number }

/** No row: the account does not store the block. */
export function countUsesOfBlock(accountId: string, multihash: Uint8Array): Query<BlockUses> {
  const inTree =
    'FROM mfs_block WHERE mfs_block.storage = storage.id AND mfs_block.hash = block.hash'
  return query(
    `SELECT charge.roots - (SELECT count(*) FROM root JOIN holding
        ON holding.root = root.id AND holding.storage = storage.id WHERE root.hash = block.hash)
        - (SELECT count(*) ${inTree} AND mfs_block.held = 1) AS others,
      (SELECT CASE WHEN count(*) = 0 THEN 0 ELSE 1 END ${inTree}) AS tree
    FROM block JOIN account_storage AS storage ON storage.account_id = ?
    JOIN charge ON charge.block = block.id AND charge.storage = storage.id
    WHERE block.hash = ?`,
    [accountId, multihash],
  )
}

/** The account's pins by CID after `after`. `contains` 1: the pin is counted and reaches the block. */
export function listPinsContaining(
  accountId: string,
  multihash: Uint8Array,
  after: Uint8Array,
  limit: number,
): Query<{ readonly cid: Uint8Array; readonly name: string; readonly contains: number }> {
  return query(
    `SELECT pin.cid AS cid, pin.name AS name, EXISTS (SELECT 1 FROM closure JOIN block
            ON block.id = closure.block AND block.hash = ? WHERE closure.root = pin.root) AS contains
          FROM pin WHERE account_id = ? AND cid > ? ORDER BY cid LIMIT ${limit}`,
    [multihash, accountId, after],
  )
}

function namedBy(accountId: string | null): readonly string[] {
  return accountId === null ? [] : [accountId]
}
