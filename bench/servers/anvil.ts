// Foundry's anvil, installed into bench/peers on first use.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chainId } from '../data/genesis.ts'
import type { Server } from './bare.ts'
import { freePort, reachable } from './nginx.ts'

const peers = fileURLToPath(new URL('../peers', import.meta.url))
/** Exists once bench/peers is installed. */
export const anvilBinary = `${peers}/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil`

/** Null if it cannot be installed; `say` receives the reason. */
export async function startAnvil(
  genesisFile: string,
  say: (why: string) => void,
): Promise<Server | null> {
  if (!existsSync(anvilBinary)) {
    try {
      await promisify(execFile)('npm', ['ci'], { cwd: peers, timeout: 120_000 })
    } catch (error) {
      say(`anvil is skipped, npm ci in bench/peers failed: ${String(error).split('\n')[0]}`)
      return null
    }
  }
  if (!existsSync(anvilBinary)) {
    say('anvil is skipped: not available for this platform')
    return null
  }
  const port = await freePort()
  // anvil writes old states to disk, in a new folder per run, which it never removes.
  const states = await mkdtemp(join(tmpdir(), 'cairn-anvil-'))
  const child = spawn(
    anvilBinary,
    [
      '--port',
      `${port}`,
      '--chain-id',
      `${chainId}`,
      '--init',
      genesisFile,
      '--no-mining',
      '--cache-path',
      states,
      '--silent',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  await reachable(port)
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      await rm(states, { recursive: true, force: true })
    },
  }
}
