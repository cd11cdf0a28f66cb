// Creates a chain file for `cairn chain import`: blocks of one transfer each on the built-in genesis, mined by the embedded chain
// without database syncs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromHex } from '../../src/base/hex.ts'
import { silentLog } from '../../src/base/log.ts'
import { joinBlock } from '../../src/codec/ethereum/block.ts'
import { decodeHeader } from '../../src/codec/ethereum/header.ts'
import { emptyRlpList } from '../../src/codec/ethereum/rlp.ts'
import { createSqliteStore } from '../../src/content/sqlite-store.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { openChainIndex } from '../../src/devchain/chain-index.ts'
import { defaultGenesis } from '../../src/devchain/default-genesis.ts'
import { findStart } from '../../src/devchain/start-point.ts'
import { Engine } from '../../src/devchain/engine/engine.ts'
import { signTransfers } from './transfers.ts'

/** Writes `chain.rlp` with `count` blocks into `folder`; returns its path and the hash of the last block. */
export async function writeChainFile(
  folder: string,
  count: number,
): Promise<{ readonly path: string; readonly head: Uint8Array }> {
  const db = openDatabase(join(folder, 'made.db'))
  try {
    db.exec('PRAGMA synchronous = OFF')
    migrate(db)
    const store = createSqliteStore({ db, writer: createInlineWriter(db) })
    const index = openChainIndex(db, 'made')
    const parts = { network: 'made', genesis: defaultGenesis, store, index, log: silentLog }
    await findStart(parts)
    const blocks: Uint8Array[] = []
    let head: Uint8Array = new Uint8Array(32)
    const engine = await Engine.open({
      ...parts,
      mining: 'auto',
      now: () => 0,
      onBlock: ({ hash }) => (head = hash),
      onPending: () => {},
    })
    for (const { raw } of signTransfers(count).flat()) {
      await engine.send(fromHex(raw))
      const header = store.peek({ kind: 'header', hash: head })
      if (header === null) throw new Error('the engine stored no header')
      const { transactionsRoot } = decodeHeader(header)
      const transactions = store.peek({ kind: 'transactions', hash: transactionsRoot })
      if (transactions === null) throw new Error('the engine stored no transactions')
      const uncles = emptyRlpList
      blocks.push(joinBlock({ header, transactions, uncles, withdrawals: emptyRlpList }))
    }
    const path = join(folder, 'chain.rlp')
    writeFileSync(path, Buffer.concat(blocks))
    return { path, head }
  } finally {
    db.close()
  }
}
