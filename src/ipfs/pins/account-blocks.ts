// All blocks of an account: those below its pins, leased uploads, and those of its MFS tree.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import type { Rows } from '../../db/rows.ts'
import { listMfsBlocks } from '../../tables/trees/mfs.ts'
import {
  type ChargedBlockRow,
  findStorageId,
  listChargedBlocks,
  listRootsOf,
} from '../../tables/storage.ts'

/** Rows of one read; other work runs between two reads. */
const stepRows = 500
/** Maximum number of blocks below several roots that are remembered, so that each is listed once. */
const sharedMax = 1_000_000

/** Yields each block once, as raw CIDs, root after root. Throws `command_failed` past `sharedMax`. */
export async function* accountBlocks(
  rows: Rows,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<CID> {
  const storage = (await rows.first(findStorageId(accountId)))?.id
  if (storage === undefined) return
  const shared = new Set<number>()
  for await (const { id, hash, roots } of allOf(rows, storage, signal)) {
    if (roots > 1) {
      if (shared.has(id)) continue
      if (shared.size >= sharedMax) {
        const detail = `more than ${sharedMax} blocks are below several pins: use refs with each pin instead`
        throw new Fault('command_failed', { detail })
      }
      shared.add(id)
    }
    yield cidOf(1, rawCodec, hash)
  }
}

async function* allOf(
  rows: Rows,
  storage: number,
  signal: AbortSignal,
): AsyncGenerator<ChargedBlockRow> {
  for await (const root of rootsOf(rows, storage, signal)) {
    yield* blocksOf(rows, storage, root, signal)
  }
  yield* mfsBlocksOf(rows, storage, signal)
}

async function* mfsBlocksOf(
  rows: Rows,
  storage: number,
  signal: AbortSignal,
): AsyncGenerator<ChargedBlockRow> {
  let after: Uint8Array = new Uint8Array()
  for (;;) {
    signal.throwIfAborted()
    const page = await rows.find(listMfsBlocks(storage, after, stepRows))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < stepRows) return
    after = last.hash
    await setImmediate()
  }
}

async function* rootsOf(rows: Rows, storage: number, signal: AbortSignal): AsyncGenerator<number> {
  let after = -1
  for (;;) {
    signal.throwIfAborted()
    const page = await rows.find(listRootsOf(storage, after, stepRows))
    for (const { root } of page) yield root
    const last = page.at(-1)
    if (last === undefined || page.length < stepRows) return
    after = last.root
    await setImmediate()
  }
}

async function* blocksOf(
  rows: Rows,
  storage: number,
  root: number,
  signal: AbortSignal,
): AsyncGenerator<ChargedBlockRow> {
  let after = -1
  for (;;) {
    signal.throwIfAborted()
    const page = await rows.find(listChargedBlocks(storage, root, after, stepRows))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < stepRows) return
    after = last.id
    await setImmediate()
  }
}
