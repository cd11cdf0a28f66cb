// What Cairn takes while nobody asks: time to start, memory on a fresh start, and 4000 open connections that
// each still answer.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { rssMiB } from '../processes.ts'
import { startCairn } from '../../test/started-server.ts'

const connections = 4000

export async function runStanding(bench: Bench): Promise<void> {
  const { report } = bench
  report.section('Standing by')
  const begun = performance.now()
  const cairn = await startCairn({
    env: { CAIRN_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '4096', CAIRN_LOG_LEVEL: 'warn' },
  })
  report.figure('start to ready, fresh folder', performance.now() - begun, ' ms')
  try {
    const pid = cairn.child.pid ?? 0
    await wait(1000)
    const fresh = rssMiB(pid)
    report.figure('memory, fresh start', fresh, ' MiB', { atMost: 180 })
    const holder = fileURLToPath(new URL('../load/hold-connections.ts', import.meta.url))
    const child = spawn(
      process.execPath,
      [holder, new URL(cairn.url).port, `/v3/${cairn.apiKey}`, String(connections)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    const ended = once(child, 'exit')
    const told = async () => String(((await once(child.stdout, 'data')) as [Buffer])[0]).trim()
    report.figure(`${connections} connections that answered`, Number(await told()), '')
    await wait(2000)
    const held = rssMiB(pid)
    report.figure(`memory with ${connections} idle connections`, held, ' MiB', { atMost: 400 })
    report.figure('memory of an idle connection', ((held - fresh) * 1024) / connections, ' KiB')
    child.stdin.write('again\n')
    report.figure(`${connections} connections that answer again`, Number(await told()), '', {
      atLeast: connections,
    })
    child.stdin.end()
    await ended
  } finally {
    await cairn.stop()
  }
}
