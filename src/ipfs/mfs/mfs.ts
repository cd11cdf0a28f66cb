// The file trees of accounts (Kubo's MFS): one root per account, replaced in the commit that stores the new nodes. A change is
// repeated on the new tree if another one was committed first.
// Tested by src/ipfs/mfs/mfs.test.ts, src/db/postgres/storage-functions.test.ts
import { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { createKeyedQueue } from '../../base/keyed-queue.ts'
import type { Batch, BlockStore } from '../../content/block-store.ts'
import type { Rows } from '../../db/rows.ts'
import { unjudged } from '../../db/storage-triggers.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import {
  deleteMfsBlocks,
  findMfs,
  findMfsBlocks,
  insertMfsBlocks,
  insertStorage,
  replaceMfs,
  updateMfsBlocks,
} from '../../tables/trees/mfs.ts'
import { findStorageId } from '../../tables/storage.ts'
import type { Mfs, MfsCall } from '../files.ts'
import type { OpenBlocks } from '../read/blocks.ts'
import { storedOnly } from '../read/walk.ts'
import { type CidFormat, firstFormat } from './cid-format.ts'
import { countLinks, type LinkCounts } from './link-counts.ts'
import { openTree } from './mfs-tree.ts'
import type { MfsTree, TreeBlocks } from './tree.ts'
import { createTreeBlocks } from './tree-blocks.ts'
import { emptyRoot } from '../read/empty-directory.ts'

export type MfsParts = {
  readonly store: BlockStore
  readonly rows: Rows
  readonly openBlocks: OpenBlocks
  /** Maximum number of blocks that one change creates, and that it adds to or removes from the tree. */
  readonly blocksMax: number
  /** Called after a commit of new blocks, for callers that wait for content. */
  readonly committed: () => void
}

/** Tries of one change, because other machines may change the tree in between. */
const triesMax = 10
/** Maximum number of changes, of all accounts, that wait for an earlier change of their account. */
const queuedMax = 10_000

type Version = { readonly root: CID; readonly number: number }

export function createMfs(parts: MfsParts): Mfs {
  const { store, rows, openBlocks, blocksMax, committed } = parts
  const accounts = createKeyedQueue(queuedMax)

  async function current(accountId: string): Promise<Version> {
    const row = await rows.first(findMfs(accountId))
    if (row === null) return { root: emptyRoot, number: 0 }
    return { root: CID.decode(row.root), number: row.version }
  }

  function treeOf(root: CID, blocks: TreeBlocks, { profile }: MfsCall): MfsTree {
    const rootFormat: CidFormat = { ...firstFormat, version: profile.cidVersion }
    return openTree(root, blocks, { rootFormat, sharding: profile.sharding })
  }

  async function storageOf(accountId: string): Promise<number> {
    const known = await rows.first(findStorageId(accountId))
    if (known !== null) return known.id
    await rows.write([insertStorage(accountId)])
    const made = await rows.first(findStorageId(accountId))
    if (made === null) throw new Error(`no storage of account ${accountId}`)
    return made.id
  }

  /** The rows of the commit. */
  async function rowsOf(
    call: MfsCall,
    from: Version,
    to: CID,
    blocks: TreeBlocks,
  ): Promise<readonly Statement[]> {
    const storage = await storageOf(call.accountId)
    const read = openBlocks({ offline: true, timeoutMs: null }, call.signal)
    const counts = await countLinks(
      {
        blocks,
        rowsOf: (hashes) => rows.find(findMfsBlocks(storage, hashes)),
        stored: storedOnly(read),
        blocksMax,
      },
      from.number === 0 ? null : from.root,
      to,
    )
    return [replaceMfs(call.accountId, to.bytes, from.number), ...countRows(storage, counts)]
  }

  async function tryOnce<Result, Prepared>(
    call: MfsCall,
    change: Parameters<typeof changeTree<Result, Prepared>>[1],
  ): Promise<Result> {
    let batch = null as Batch | null
    const opened = (): Batch => (batch ??= store.batch())
    const blocks = createTreeBlocks(
      openBlocks(call.patience, call.signal),
      (items, tree) => opened().put(items, tree),
      blocksMax,
    )
    const commit = async (): Promise<Result> => {
      const from = await current(call.accountId)
      const tree = treeOf(from.root, blocks, call)
      const result = await change.work(tree, prepared)
      if (tree.root.equals(from.root)) return result
      const all = await rowsOf(call, from, tree.root, blocks)
      await blocks.flush()
      call.signal.throwIfAborted()
      if (!call.proceed()) throw new Fault('hung_up')
      const statements = change.frees === true ? unjudged(call.accountId, all) : all
      await (batch === null ? store.put([], statements) : batch.commit(statements))
      return result
    }
    let prepared: Prepared | null = null
    try {
      if (change.prepare !== undefined) {
        const { root } = await current(call.accountId)
        prepared = await change.prepare(treeOf(root, blocks, call))
      }
      return await accounts.run(call.accountId, commit)
    } finally {
      await blocks.settled()
      await batch?.discard()
    }
  }

  async function changeTree<Result, Prepared>(
    call: MfsCall,
    change: {
      readonly prepare?: (tree: MfsTree) => Promise<Prepared>
      readonly work: (tree: MfsTree, prepared: Prepared | null) => Promise<Result>
      readonly frees?: true
    },
  ): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        const result = await tryOnce(call, change)
        committed()
        return result
      } catch (thrown) {
        if (!(thrown instanceof NothingChanged)) throw thrown
        if (change.prepare !== undefined || tries >= triesMax) throw overtaken()
      }
    }
  }

  return {
    async open(call) {
      const read = openBlocks(call.patience, call.signal)
      const blocks = createTreeBlocks(read, () => Promise.resolve(), 0)
      return treeOf((await current(call.accountId)).root, blocks, call)
    },
    change: changeTree,
  }
}

/** Deletes rows first, so that the quota check sees the freed storage. */
function countRows(storage: number, { added, changed, removed }: LinkCounts): readonly Statement[] {
  return [
    ...(removed.length === 0 ? [] : [deleteMfsBlocks(storage, removed)]),
    ...(changed.length === 0 ? [] : [updateMfsBlocks(storage, changed)]),
    ...(added.length === 0 ? [] : [insertMfsBlocks(storage, added)]),
  ]
}

/** Refuses a change because another one of the account was committed first. */
export function overtaken(): Fault {
  return new Fault('overloaded', {
    detail: 'another request changed the file tree at the same time: try again',
  })
}
