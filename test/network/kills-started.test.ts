// Calls of a started server while its network process is killed each second. Run by hand: CAIRN_KILL_MS=60000, and the diagnostics.
import { equal, ok } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/base/clock.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

const forMs = Number(process.env['CAIRN_KILL_MS'] ?? 5000)
const atOnce = fileURLToPath(new URL('../fakes/restart-at-once.ts', import.meta.url))
const limit = {
  skip: existsSync('/proc/self/stat') ? false : 'left out: /proc lists no processes',
  timeout: 300_000 + 3 * forMs,
}

/** Child processes of all threads. */
function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  )
}

test('each call is answered while the network process is killed each second', limit, async (t) => {
  const dataDir = await temporaryFolder()
  const config = join(dataDir, 'cairn.yaml')
  const ipfsNetwork = {
    mode: 'provide',
    private: true,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    dht: 'off',
  }
  writeFileSync(config, JSON.stringify({ ipfsNetwork: { ...ipfsNetwork, routers: [] } }))
  const server = await startCairn({
    dataDir,
    args: ['--config', config],
    nodeArgs: ['--import', atOnce],
  })
  t.after(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const pid = server.child.pid ?? 0

  /** Duration of each call in milliseconds. */
  async function call(): Promise<readonly number[]> {
    const tookMs: number[] = []
    const end = systemClock.monotonic() + forMs
    for (let now = systemClock.monotonic(); now < end; now = systemClock.monotonic()) {
      equal((await server.rpc('eth_getBalance', [`0x${'00'.repeat(20)}`, 'latest'])).result, '0x0')
      tookMs.push(systemClock.monotonic() - now)
    }
    return tookMs.toSorted((one, other) => one - other)
  }

  let kills = 0
  function kill(): void {
    const [child] = childrenOf(pid)
    if (child === undefined) return
    try {
      process.kill(child, 'SIGKILL')
      kills += 1
    } catch {
      // The process has just ended.
    }
  }

  const quiet = await call()
  const stopKilling = systemClock.every(1000, kill)
  const killed = await call().finally(stopKilling)
  const of = (sorted: readonly number[]): string =>
    [0.5, 0.99, 1]
      .map((part) => (sorted[Math.ceil(sorted.length * part) - 1] ?? 0).toFixed(1))
      .join(' ')
  t.diagnostic(`p50, p99, longest: ${of(quiet)} ms; with ${kills} kills ${of(killed)} ms`)
  ok(kills > 0)
  equal((await server.rpc('eth_chainId')).error, undefined)
})
