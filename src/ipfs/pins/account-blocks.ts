// Every block of an account: below its pins, and blocks that it added and has not pinned yet.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import type { Database } from '../../db/sqlite.ts'

/** Rows of one read; other work gets its turn between two reads. */
const stepRows = 500
/** Blocks below several roots that are remembered, so that each is listed once. */
const sharedMax = 1_000_000

type Row = {
  readonly id: number
  readonly hash: Uint8Array
  /** How many roots of the account reach it. */
  readonly roots: number
}

/** Each once, as raw CIDs, root after root. Throws `command_failed` past `sharedMax`. */
export async function* accountBlocks(
  database: Database,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<CID> {
  const storage = database.getValue<number>('SELECT id FROM account_storage WHERE account_id = ?', [
    accountId,
  ])
  if (storage === null) return
  const shared = new Set<number>()
  for await (const root of rootsOf(database, storage, signal)) {
    for await (const { id, hash, roots } of blocksOf(database, storage, root, signal)) {
      if (roots > 1) {
        if (shared.has(id)) continue
        if (shared.size >= sharedMax) {
          const detail = `more than ${sharedMax} blocks are below several pins: ask for each pin's refs`
          throw new Fault('command_failed', { detail })
        }
        shared.add(id)
      }
      yield cidOf(1, rawCodec, hash)
    }
  }
}

async function* rootsOf(
  database: Database,
  storage: number,
  signal: AbortSignal,
): AsyncGenerator<number> {
  let after = -1
  for (;;) {
    signal.throwIfAborted()
    const rows = database.all<{ root: number }>(
      `SELECT root FROM holding WHERE storage = ? AND root > ? ORDER BY root LIMIT ${stepRows}`,
      [storage, after],
    )
    for (const { root } of rows) yield root
    const last = rows.at(-1)
    if (last === undefined || rows.length < stepRows) return
    after = last.root
    await setImmediate()
  }
}

async function* blocksOf(
  database: Database,
  storage: number,
  root: number,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  let after = -1
  for (;;) {
    signal.throwIfAborted()
    const rows = database.all<Row>(
      `SELECT block.id AS id, block.hash AS hash, charge.roots AS roots FROM closure
        CROSS JOIN block ON block.id = closure.block AND block.file <> 0
        CROSS JOIN charge ON charge.block = closure.block AND charge.storage = ?
        WHERE closure.root = ? AND closure.block > ? ORDER BY closure.block LIMIT ${stepRows}`,
      [storage, root, after],
    )
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < stepRows) return
    after = last.id
    await setImmediate()
  }
}
