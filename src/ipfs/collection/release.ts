// Unreferenced roots are taken apart in steps, so that a large one never holds the writer for long.
// Each step says in the rows how far it came: a crash in between loses nothing.
// Tested by src/ipfs/pins/roots.test.ts
import type { Database } from '../../db/sqlite.ts'
import { giveBack, letGo } from '../../db/storage-triggers.ts'
import type { Statement, Writer } from '../../db/writer.ts'

/** Blocks of one step. */
const stepBlocks = 1000

type Releasing = {
  readonly id: number
  readonly storage: number
  readonly root: number
  readonly after: number
}

/** One step of what there is to do; false when there was nothing. Not to be run twice at a time. */
export async function releaseStep(
  database: Database,
  writer: Pick<Writer, 'write'>,
): Promise<boolean> {
  const releasing = database.get<Releasing>(
    'SELECT id, storage, root, after FROM releasing ORDER BY id LIMIT 1',
  )
  if (releasing !== null) {
    await writer.write(releaseBlocks(database, releasing))
    return true
  }
  const root = database.getValue<number>(
    'SELECT id FROM root WHERE hash IS NULL ORDER BY id LIMIT 1',
  )
  if (root === null) return false
  await writer.write(forgetBlocks(database, root))
  return true
}

/** Gives the next blocks of a large root back to its account, and after the last one the root itself. */
function releaseBlocks(database: Database, of: Releasing): readonly Statement[] {
  const { id, storage, root, after } = of
  const last = lastOfStep(database, root, after)
  const upTo = last ?? Number.MAX_SAFE_INTEGER
  const range = giveBack({ storage: '?1', root: '?2', after: '?3', last: '?4' })
  const end: readonly Statement[] =
    last === null
      ? [
          { sql: letGo('?'), parameters: [root] },
          { sql: 'DELETE FROM releasing WHERE id = ?', parameters: [id] },
        ]
      : [{ sql: 'UPDATE releasing SET after = ? WHERE id = ?', parameters: [upTo, id] }]
  return [...range.map((sql) => ({ sql, parameters: [storage, root, after, upTo] })), ...end]
}

/** Takes the next blocks off a root without a name, and after the last one the root itself. */
function forgetBlocks(database: Database, root: number): readonly Statement[] {
  const last = lastOfStep(database, root, -1)
  if (last !== null) {
    return [{ sql: 'DELETE FROM closure WHERE root = ? AND block <= ?', parameters: [root, last] }]
  }
  return [
    { sql: 'DELETE FROM closure WHERE root = ?', parameters: [root] },
    { sql: 'DELETE FROM root WHERE id = ?', parameters: [root] },
  ]
}

/** The id of the block that ends a step; null when the rest is no more than a step. */
function lastOfStep(database: Database, root: number, after: number): number | null {
  return database.getValue<number>(
    `SELECT block FROM closure WHERE root = ? AND block > ? ORDER BY block LIMIT 1 OFFSET ${stepBlocks}`,
    [root, after],
  )
}
