// The embedded chain as stored in the data folder, read-only, with or without a running server. It produces no
// blocks and runs no EVM.
// Tested by src/cli/commands/proof.test.ts
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { type Config, embeddedChain } from '../config/settings.ts'
import { createObtain } from '../content/obtain.ts'
import { createSqliteStore } from '../content/sqlite-store.ts'
import { verify } from '../content/verified-finds.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { openDatabase } from '../db/sqlite.ts'
import { blobFeeFraction } from '../devchain/blob-schedule.ts'
import { createChainHead } from '../devchain/chain-head.ts'
import { openChainIndex } from '../devchain/chain-index.ts'
import { defaultGenesis } from '../devchain/default-genesis.ts'
import { buildFirstBlock } from '../devchain/first-block.ts'
import { parseGenesis } from '../devchain/genesis.ts'
import { obtainEmbedded } from '../devchain/embedded-content.ts'
import { refuseOtherChain } from '../devchain/start-point.ts'
import { emptyPool } from '../chain/transaction-pool.ts'
import type { Network } from '../chain/network.ts'
import { createHeaderMemory } from '../chain/proved-memory.ts'

type StoredChain = { readonly network: Network; close(): void }

const headersMax = 16

/** Throws an Error with a sentence for the operator if no chain is stored. */
export function openStoredChain(config: Config): StoredChain {
  const chain = embeddedChain(config)
  if (chain === null) {
    throw new Error(
      'no embedded chain in the settings: query a running server with --url and --key',
    )
  }
  const path = join(config.dataDir, 'cairn.db')
  if (!existsSync(path)) throw new Error(`no chain in ${config.dataDir}: start the server once`)
  const db = openDatabase(path, { readOnly: true })
  try {
    const index = openChainIndex(db, chain.name)
    const start = index.head()
    if (start === null) {
      throw new Error(`no chain "${chain.name}" in ${config.dataDir}: start the server once`)
    }
    const { genesisFile, name } = chain
    const genesis =
      genesisFile === null
        ? defaultGenesis
        : parseGenesis(JSON.parse(readFileSync(genesisFile, 'utf8')))
    // Headers do not commit to the chain ID, so a bundle could carry the ID of another genesis.
    refuseOtherChain(name, index, buildFirstBlock(genesis).hash)
    const { obtain, peek, peekNode } = createObtain({
      store: createSqliteStore({ db, writer: createInlineWriter(db) }),
      sourcesFor: () => [],
      verify,
      clock: systemClock,
      log: silentLog,
      count: () => {},
    })
    const network: Network = {
      name,
      chainId: genesis.chainId,
      head: createChainHead(name, index, start),
      obtain: obtainEmbedded(obtain, index),
      peek,
      peekNode,
      headers: createHeaderMemory(headersMax),
      hint: { network: name },
      pool: emptyPool,
      executor: null,
      relay: null,
      blobFeeFraction: (timestamp) => blobFeeFraction(genesis.config, timestamp),
      forkConfigs: () => null,
    }
    return { network, close: () => db.close() }
  } catch (thrown) {
    db.close()
    throw thrown
  }
}
