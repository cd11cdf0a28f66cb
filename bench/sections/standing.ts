// Idle costs: start time, also after a kill, memory after the start, and 4000 open connections that still respond.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { median, rounds } from '../measure.ts'
import { rssMiB } from '../processes.ts'
import { filesClient } from '../../test/fakes/files/files-client.ts'
import { startCairn, temporaryFolder, type Started } from '../../test/started-server.ts'

const connections = 4000
/** Acknowledged adds before the kill, and the number of concurrent adds. */
const addsBefore = 2000
const addsAtOnce = 32

export async function runStanding(bench: Bench): Promise<void> {
  const { report } = bench
  report.section('Startup and idle')
  // The first start after a code change compiles, and caches the result for the next start.
  await (await startCairn()).stop()
  const begun = performance.now()
  const cairn = await startCairn({
    env: { CAIRN_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '4096', CAIRN_LOG_LEVEL: 'warn' },
  })
  report.figure('start to ready, fresh folder', performance.now() - begun, ' ms')
  try {
    const pid = cairn.child.pid ?? 0
    await wait(1000)
    const fresh = rssMiB(pid)
    report.figure('memory after the first start', fresh, ' MiB', { atMost: 180 })
    const holder = fileURLToPath(new URL('../load/hold-connections.ts', import.meta.url))
    const child = spawn(
      process.execPath,
      [holder, new URL(cairn.url).port, `/v3/${cairn.apiKey}`, String(connections)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    const ended = once(child, 'exit')
    const readLine = async () => String(((await once(child.stdout, 'data')) as [Buffer])[0]).trim()
    report.figure(`${connections} connections that replied`, Number(await readLine()), '')
    await wait(2000)
    const rssWithConnections = rssMiB(pid)
    report.figure(`memory with ${connections} idle connections`, rssWithConnections, ' MiB', {
      atMost: 400,
    })
    report.figure(
      'memory per idle connection',
      ((rssWithConnections - fresh) * 1024) / connections,
      ' KiB',
    )
    child.stdin.write('again\n')
    report.figure(`${connections} connections that reply again`, Number(await readLine()), '', {
      atLeast: connections,
    })
    child.stdin.end()
    await ended
  } finally {
    await cairn.stop()
  }
  const restarts: number[] = []
  for (let kill = 0; kill < rounds; kill++) restarts.push(await restartMs())
  report.figure('start to ready, after a kill during uploads', median(restarts), ' ms', {
    atMost: 1000,
  })
}

/** Start time of a server on a folder whose previous server was killed during adds, until it responds. */
async function restartMs(): Promise<number> {
  const dataDir = await temporaryFolder()
  try {
    await addUntilKilled(await startCairn({ dataDir, env: { CAIRN_LOG_LEVEL: 'warn' } }))
    const begun = performance.now()
    const cairn = await startCairn({ dataDir, env: { CAIRN_LOG_LEVEL: 'warn' } })
    const took = performance.now() - begun
    await cairn.stop()
    return took
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function addUntilKilled(cairn: Started): Promise<void> {
  const { add } = filesClient(cairn)
  let left = addsBefore
  const lane = async (): Promise<void> => {
    while (left > 0) {
      await add(randomBytes(4096))
      left -= 1
    }
  }
  const lanes = Array.from({ length: addsAtOnce }, lane)
  try {
    await Promise.race(lanes)
  } finally {
    await cairn.kill()
  }
  // Adds in flight at the kill fail.
  await Promise.allSettled(lanes)
}
