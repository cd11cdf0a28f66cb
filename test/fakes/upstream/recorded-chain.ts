// A started server with the recorded chain of the vectors: its genesis, with its blocks imported.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Started, startCairn, temporaryFolder } from '../../started-server.ts'
import { chainFolder } from '../chain-vectors.ts'

/** `chain`: the folder of `genesis.json` and `chain.rlp`. After the test the server is stopped and its folder removed. */
export async function startRecordedChain(
  t: TestContext,
  chain = chainFolder,
  mining: 'auto' | 'off' = 'auto',
): Promise<Started> {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const config = join(dataDir, 'recorded.yaml')
  const recorded = (name: string) => join(chain, name)
  await writeFile(
    config,
    `chain:\n  genesisFile: ${recorded('genesis.json')}\n  blocksFile: ${recorded('chain.rlp')}\n`,
  )
  const env = { CAIRN_CHAIN_MINING: mining }
  const cairn = await startCairn({ dataDir, args: ['--config', config], env })
  t.after(() => cairn.stop())
  return cairn
}
