// Ends leases of an account before they expire: those of one block, or all. Pins are never changed. Blocks that other accounts
// store remain, and the result does not reveal that they exist.
// Tested by src/kubo/commands/dag/block-rm.test.ts
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import type { DeleteBlocks, BlockStore } from '../../content/block-store.ts'
import type { Rows } from '../../db/rows.ts'
import {
  deleteLeaseById,
  deleteLeasesOver,
  type LeaseRow,
  listLeases,
} from '../../tables/leases.ts'
import { findPinOfBlock, listPinsAbove } from '../../tables/pinned-blocks.ts'
import { listBlocksOnlyBelow, listRootsReferencedOnce } from '../../tables/storage.ts'
import type { Files } from '../files.ts'

export type Unpinned = Pick<Files, 'removeBlock' | 'releaseUnpinned'>

export type UnpinnedParts = {
  readonly store: BlockStore
  readonly deleteBlocks: DeleteBlocks
  readonly rows: Rows
}

/** Rows of one read; other work runs between two reads. */
const stepRows = 500
/** Maximum number of leases that one write ends; together they have at most `stepRows` blocks, unless a single lease has more. */
const leasesAtOnce = 100
/** Blocks that are listed and deleted immediately; the next garbage collection deletes the rest. */
const namedMax = 100_000

export function createUnpinned({ store, deleteBlocks, rows }: UnpinnedParts): Unpinned {
  return {
    async removeBlock(accountId, cid, force, signal) {
      const hash = cid.multihash.bytes
      if (!force && !(await store.has({ kind: 'dag-block', hash }))) {
        return `ipld: could not find ${cid.toString()}`
      }
      const pinned = await findPin(accountId, hash, signal)
      if (pinned !== null) return pinned
      await rows.write([deleteLeasesOver(accountId, hash)])
      await deleteBlocks([hash])
      return null
    },

    async *releaseUnpinned(accountId, signal) {
      for (;;) {
        signal.throwIfAborted()
        const leases = await nextLeases(accountId)
        if (leases.length === 0) return
        const hashes = await onlyBelow(accountId, leases)
        await rows.write(leases.map(({ id }) => deleteLeaseById(id)))
        for (let at = 0; at < hashes.length; at += stepRows) {
          const step = hashes.slice(at, at + stepRows)
          await deleteBlocks(step)
          for (const hash of step) yield cidOf(1, rawCodec, hash)
        }
      }
    },
  }

  /** Returns how one of the account's pins reaches the block; null if none does. */
  async function findPin(
    accountId: string,
    hash: Uint8Array,
    signal: AbortSignal,
  ): Promise<string | null> {
    const own = await rows.first(findPinOfBlock(accountId, hash))
    if (own !== null) return `pinned: ${own.mode}`
    let after: Uint8Array = new Uint8Array()
    for (;;) {
      signal.throwIfAborted()
      const pins = await rows.find(listPinsAbove(accountId, hash, after, stepRows))
      const via = pins.find(({ above }) => above === 1)
      if (via !== undefined) return `pinned via ${CID.decode(via.cid).toString()}`
      const last = pins.at(-1)
      if (last === undefined || pins.length < stepRows) return null
      after = last.cid
      await setImmediate()
    }
  }

  /** Leases that the next write ends: a large one alone, small ones together. */
  async function nextLeases(accountId: string): Promise<readonly LeaseRow[]> {
    const page = await rows.find(listLeases(accountId, leasesAtOnce))
    let blocks = 0
    const after = page.findIndex((lease, at) => (blocks += lease.blocks) > stepRows && at > 0)
    return after === -1 ? page : page.slice(0, after)
  }

  /** Blocks that only these leases hold for the account, at most `namedMax`. */
  async function onlyBelow(
    accountId: string,
    leases: readonly LeaseRow[],
  ): Promise<readonly Uint8Array[]> {
    const hashes: Uint8Array[] = []
    const leased = leases.map(({ root }) => root)
    const once = await rows.find(listRootsReferencedOnce(accountId, leased))
    const roots = once.map(({ root }) => root)
    if (roots.length === 0) return hashes
    let after = -1
    while (hashes.length < namedMax) {
      const page = await rows.find(listBlocksOnlyBelow(accountId, roots, after, stepRows))
      for (const { id, hash } of page) {
        hashes.push(hash)
        after = id
      }
      if (page.length < stepRows) break
      await setImmediate()
    }
    return hashes
  }
}
