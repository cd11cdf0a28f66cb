// What an account brought and did not pin, let go before its time: one block, or all of it. Own pins are never touched,
// and what others keep stays for them without a word about it.
// Tested by src/kubo/commands/dag/block-rm.test.ts
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import type { Forget, Store } from '../../content/store.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import type { Files } from '../files.ts'
import { endLeaseById, endLeasesOver } from './leases.ts'

export type Unpinned = Pick<Files, 'removeBlock' | 'releaseUnpinned'>

export type UnpinnedParts = {
  readonly store: Store
  readonly forget: Forget
  readonly database: Database
  readonly writer: Pick<Writer, 'write'>
}

/** Rows of one read between which everything else gets its turn. */
const stepRows = 500
/** Leases that end in one write, as long as they hold no more than `stepRows` blocks. */
const leasesAtOnce = 100
/** Blocks of one lease that are named and forgotten at once; the rest goes by the next collection. */
const namedMax = 100_000

type Lease = { readonly id: number; readonly root: number }

export function createUnpinned({ store, forget, database, writer }: UnpinnedParts): Unpinned {
  return {
    async removeBlock(accountId, cid, force, signal) {
      const hash = cid.multihash.bytes
      if (!force && !store.has({ kind: 'dag-block', hash })) {
        return `ipld: could not find ${cid.toString()}`
      }
      const pinned = await findPin(accountId, hash, signal)
      if (pinned !== null) return pinned
      await writer.write([endLeasesOver(accountId, hash)])
      await forget([hash])
      return null
    },

    async *releaseUnpinned(accountId, signal) {
      for (;;) {
        signal.throwIfAborted()
        const leases = nextLeases(accountId)
        if (leases.length === 0) return
        const hashes = await onlyBelow(accountId, leases)
        await writer.write(leases.map(({ id }) => endLeaseById(id)))
        for (let at = 0; at < hashes.length; at += stepRows) {
          const step = hashes.slice(at, at + stepRows)
          await forget(step)
          for (const hash of step) yield cidOf(1, rawCodec, hash)
        }
      }
    },
  }

  /** Says how one of the account's pins reaches the block; null when none does. */
  async function findPin(
    accountId: string,
    hash: Uint8Array,
    signal: AbortSignal,
  ): Promise<string | null> {
    const own = database.getValue<string>(
      `SELECT pin.mode FROM root JOIN pin ON pin.root = root.id AND pin.account_id = ?
        WHERE root.hash = ? ORDER BY pin.mode DESC LIMIT 1`,
      [accountId, hash],
    )
    if (own !== null) return `pinned: ${own}`
    let after: Uint8Array = new Uint8Array()
    for (;;) {
      signal.throwIfAborted()
      const pins = database.all<{ cid: Uint8Array; below: number }>(
        `SELECT pin.cid AS cid, pin.root IS NULL OR EXISTS (SELECT 1 FROM closure JOIN block
            ON block.id = closure.block AND block.hash = ? WHERE closure.root = pin.root) AS below
          FROM pin WHERE account_id = ? AND cid > ? ORDER BY cid LIMIT ${stepRows}`,
        [hash, accountId, after],
      )
      const via = pins.find(({ below }) => below === 1)
      if (via !== undefined) return `pinned via ${CID.decode(via.cid).toString()}`
      const last = pins.at(-1)
      if (last === undefined || pins.length < stepRows) return null
      after = last.cid
      await setImmediate()
    }
  }

  /** Leases to be ended in one write: a large one alone, small ones together. */
  function nextLeases(accountId: string): readonly Lease[] {
    const rows = database.all<Lease & { blocks: number }>(
      `SELECT lease.id AS id, lease.root AS root, root.blocks AS blocks FROM lease
        CROSS JOIN root ON root.id = lease.root
        WHERE lease.account_id = ? ORDER BY lease.id LIMIT ${leasesAtOnce}`,
      [accountId],
    )
    let blocks = 0
    const after = rows.findIndex((lease, at) => (blocks += lease.blocks) > stepRows && at > 0)
    return after === -1 ? rows : rows.slice(0, after)
  }

  /** Blocks that the account keeps by these leases and nothing else, at most `namedMax`. */
  async function onlyBelow(
    accountId: string,
    leases: readonly Lease[],
  ): Promise<readonly Uint8Array[]> {
    const hashes: Uint8Array[] = []
    const roots = database
      .all<{ root: number }>(
        `SELECT root FROM account_storage JOIN holding ON holding.storage = account_storage.id
          WHERE account_id = ? AND root IN (${leases.map(() => '?').join(', ')}) AND claims = 1`,
        [accountId, ...leases.map(({ root }) => root)],
      )
      .map(({ root }) => root)
    if (roots.length === 0) return hashes
    let after = -1
    while (hashes.length < namedMax) {
      const rows = database.all<{ id: number; hash: Uint8Array }>(
        `SELECT block.id AS id, block.hash AS hash FROM closure
          CROSS JOIN block ON block.id = closure.block
          CROSS JOIN charge ON charge.block = block.id
          CROSS JOIN account_storage ON account_storage.id = charge.storage AND account_id = ?
          WHERE closure.root IN (${roots.map(() => '?').join(', ')}) AND closure.block > ?
          GROUP BY closure.block HAVING count(*) = charge.roots
          ORDER BY closure.block LIMIT ${stepRows}`,
        [accountId, ...roots, after],
      )
      for (const { id, hash } of rows) {
        hashes.push(hash)
        after = id
      }
      if (rows.length < stepRows) break
      await setImmediate()
    }
    return hashes
  }
}
