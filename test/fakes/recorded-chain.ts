// A started server on the recorded chain of the vectors: its genesis, and its blocks imported first.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'
import { vectorsFolder } from './chain-vectors.ts'

/** Stopped after the test, its folder removed. */
export async function startRecordedChain(t: TestContext): Promise<Started> {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const config = join(dataDir, 'recorded.yaml')
  const recorded = (name: string) => join(vectorsFolder, 'rpc-compat', name)
  await writeFile(
    config,
    `chain:\n  genesisFile: ${recorded('genesis.json')}\n  blocksFile: ${recorded('chain.rlp')}\n`,
  )
  const cairn = await startCairn({ dataDir, args: ['--config', config] })
  t.after(() => cairn.stop())
  return cairn
}
