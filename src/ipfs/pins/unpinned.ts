// What an account brought and did not pin, let go before its time: one block, or all of it. Own pins are never touched,
// and what others keep stays for them without a word about it.
// Tested by src/kubo/commands/dag/block-rm.test.ts
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import type { DeleteBlocks, BlockStore } from '../../content/block-store.ts'
import { findAll, findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import { endLeaseById, endLeasesOver, type LeaseRow, listLeases } from '../../tables/leases.ts'
import { findPinOfBlock, listPinsAbove } from '../../tables/pinned-blocks.ts'
import { listBlocksOnlyBelow, listRootsReferencedOnce } from '../../tables/storage.ts'
import type { Files } from '../files.ts'

export type Unpinned = Pick<Files, 'removeBlock' | 'releaseUnpinned'>

export type UnpinnedParts = {
  readonly store: BlockStore
  readonly forget: DeleteBlocks
  readonly database: Database
  readonly writer: Pick<Writer, 'write'>
}

/** Rows of one read between which everything else gets its turn. */
const stepRows = 500
/** Leases that end in one write, as long as they hold no more than `stepRows` blocks. */
const leasesAtOnce = 100
/** Blocks of one lease that are named and forgotten at once; the rest goes by the next collection. */
const namedMax = 100_000

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
    const own = findOne(database, findPinOfBlock(accountId, hash))
    if (own !== null) return `pinned: ${own.mode}`
    let after: Uint8Array = new Uint8Array()
    for (;;) {
      signal.throwIfAborted()
      const pins = findAll(database, listPinsAbove(accountId, hash, after, stepRows))
      const via = pins.find(({ above }) => above === 1)
      if (via !== undefined) return `pinned via ${CID.decode(via.cid).toString()}`
      const last = pins.at(-1)
      if (last === undefined || pins.length < stepRows) return null
      after = last.cid
      await setImmediate()
    }
  }

  /** Leases to be ended in one write: a large one alone, small ones together. */
  function nextLeases(accountId: string): readonly LeaseRow[] {
    const rows = findAll(database, listLeases(accountId, leasesAtOnce))
    let blocks = 0
    const after = rows.findIndex((lease, at) => (blocks += lease.blocks) > stepRows && at > 0)
    return after === -1 ? rows : rows.slice(0, after)
  }

  /** Blocks that the account keeps by these leases and nothing else, at most `namedMax`. */
  async function onlyBelow(
    accountId: string,
    leases: readonly LeaseRow[],
  ): Promise<readonly Uint8Array[]> {
    const hashes: Uint8Array[] = []
    const leased = leases.map(({ root }) => root)
    const roots = findAll(database, listRootsReferencedOnce(accountId, leased)).map(
      ({ root }) => root,
    )
    if (roots.length === 0) return hashes
    let after = -1
    while (hashes.length < namedMax) {
      const rows = findAll(database, listBlocksOnlyBelow(accountId, roots, after, stepRows))
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
