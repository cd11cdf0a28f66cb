// Counts the live blocks of each segment in one step, for comparison with the incremental sweep.
import type { LiveBlocks } from '../../../src/content/block-store.ts'
import type { Database } from '../../../src/db/sqlite.ts'

export function countLive(database: Database): ReadonlyMap<number, LiveBlocks> {
  const rows = database.all<LiveBlocks & { readonly file: number }>(
    'SELECT file, sum(bytes) AS bytes, min(id) AS first, max(id) AS last FROM block GROUP BY file',
  )
  return new Map(rows.map(({ file, ...live }) => [file, live]))
}
