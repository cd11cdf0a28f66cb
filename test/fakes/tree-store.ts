// A Store of rows that lists what a Batch puts in `staged` and `block` as one of segments does, for tests of what
// commits read there.
import { leavesByPut } from '../../src/content/leaves-by-put.ts'
import type { Item } from '../../src/content/ref.ts'
import type { Batch, Store } from '../../src/content/store.ts'
import { NothingChanged, type Statement, type Writer } from '../../src/db/writer.ts'

export function listTrees(store: Store, writer: Writer): Store {
  const batch = (): Batch => {
    const inner = store.batch()
    const { id } = inner
    async function put(items: readonly Item[], tree = 0): Promise<void> {
      await inner.put(items)
      await writer.write(
        items
          .filter(({ ref }) => ref.kind === 'dag-block')
          .map(({ ref, bytes }) => ({
            sql: `INSERT INTO staged (batch, tree, hash, size) VALUES (?, ?, ?, ?)
              ON CONFLICT (batch, tree, hash) DO NOTHING`,
            parameters: [id, tree, ref.hash, bytes.length],
          })),
      )
    }
    const list: Statement = {
      sql: `INSERT INTO block (hash, file, at, bytes, form, size, created)
        SELECT hash, 1, 0, size, 0, size, 0 FROM staged WHERE batch = ? ON CONFLICT (hash) DO NOTHING`,
      parameters: [id],
    }
    const forget: Statement = { sql: 'DELETE FROM staged WHERE batch = ?', parameters: [id] }
    return {
      ...inner,
      put,
      leaves: (cut, onLeaf, tree) => leavesByPut(cut, onLeaf, (items) => put(items, tree)),
      async commit(rows = []) {
        try {
          return (await inner.commit([list, ...rows, forget])).slice(1, -1)
        } catch (error) {
          if (error instanceof NothingChanged) throw new NothingChanged(error.index - 1)
          throw error
        }
      },
      async discard() {
        await inner.discard()
        await writer.write([forget])
      },
    }
  }
  return { ...store, batch }
}
