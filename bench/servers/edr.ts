// EDR, Hardhat's chain, behind a small node:http server in a separate process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Server } from './bare.ts'

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
  const program = fileURLToPath(new URL('./edr-server.ts', import.meta.url))
  const child = spawn(process.execPath, [program, genesisFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    port: Number(line.toString()),
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
