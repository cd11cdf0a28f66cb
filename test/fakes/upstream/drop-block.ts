// Removes the bytes of a block permanently, while pins of accounts still reference it.
import type { BlockStore } from '../../../src/content/block-store.ts'
import type { Database } from '../../../src/db/sqlite.ts'

export async function dropBlock(
  { store, database }: { readonly store: BlockStore; readonly database: Database },
  multihash: Uint8Array,
): Promise<void> {
  await store.quarantine({ kind: 'dag-block', hash: multihash })
  database.run('UPDATE block SET file = 0 WHERE hash = ?', [multihash])
}
