// EDR, Hardhat's chain, behind a small node:http server in a separate process.
import { createRequire } from 'node:module'
import type { Server } from './bare.ts'
import { startProgram } from './start-program.ts'

/** Null if it is not installed; `say` receives the reason. */
export async function startEdr(
  genesisFile: string,
  say: (why: string) => void,
): Promise<Server | null> {
  try {
    createRequire(import.meta.url)('@nomicfoundation/edr')
  } catch {
    say('EDR is skipped: install it with npm on Node 22 or newer')
    return null
  }
  return await startProgram('./edr-server.ts', genesisFile)
}
