// The chain that tests use, imported into an engine over a new database, and executions on its blocks.
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { silentLog } from '../../../src/base/log.ts'
import { parseGenesis } from '../../../src/evm/genesis.ts'
import { findStart } from '../../../src/devchain/start-point.ts'
import { Engine } from '../../../src/devchain/engine/engine.ts'
import { createChainCalls } from '../chain-calls.ts'
import { openChainDatabase } from '../chain-database.ts'
import { chainFolder, readChain } from '../chain-vectors.ts'

export type RecordedEngine = {
  readonly run: ReturnType<typeof createChainCalls>['run']
  /** Null above the head. */
  readonly hashOf: (number: bigint) => Uint8Array | null
  /** The number of the last block. */
  readonly head: bigint
}

/** Closed after the test. */
export async function openRecordedEngine(t: Pick<TestContext, 'after'>): Promise<RecordedEngine> {
  const { store, index, log } = openChainDatabase(t as TestContext)
  const text = new TextDecoder().decode(readChain('genesis.json'))
  const genesis = parseGenesis(JSON.parse(text))
  await findStart({ network: 'test', genesis, store, index, log })
  const engine = await Engine.open({
    network: 'test',
    genesis,
    store,
    index,
    mining: 'off',
    now: () => 0,
    onBlock: () => {},
    onPending: () => {},
    log: silentLog,
  })
  await engine.importFile(join(chainFolder, 'chain.rlp'))
  const { run } = createChainCalls({ genesis, store, index })
  return { run, hashOf: index.hashOf, head: index.head()?.number ?? 0n }
}
