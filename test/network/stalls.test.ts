// Kubo repeatedly fetches a file from the network process, with an emptied store each time, during busy loops: no fetch stalls. Run
// by hand with CAIRN_STALL_FETCHES=60 (and CAIRN_STALL_MIB=100); none may take over 30 s.
import { ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { missingKubo, startKubo } from '../engines/kubo.ts'
import { fileDag } from '../fakes/dags.ts'
import { startNetChild } from '../fakes/net-child.ts'

const given = process.env['CAIRN_STALL_FETCHES']
const fetches = Number(given ?? 2)
const mebibytes = Number(process.env['CAIRN_STALL_MIB'] ?? 10)
const loops = given === undefined ? 1 : 4
const stallMs = 30_000

const skip = missingKubo()
const limit = { skip, timeout: 300_000 + fetches * 60_000 }

test('no fetch stalls beside busy loops', limit, async (t) => {
  const [child, kubo] = await Promise.all([startNetChild(t), startKubo(t)])
  const content = randomBytes(mebibytes * 1024 * 1024)
  const { root, blocks } = fileDag(content)
  for (const [key, block] of blocks) child.blocks.set(key, block)
  await kubo.connect(child.address)
  for (let loop = 0; loop < loops; loop++) {
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
    t.after(() => busy.kill('SIGKILL'))
  }
  const tookMs: number[] = []
  for (let round = 0; round < fetches; round++) {
    await kubo.empty()
    const began = systemClock.monotonic()
    const read = await kubo.bytes('cat', { arg: root })
    tookMs.push(Math.round(systemClock.monotonic() - began))
    ok(read.equals(content))
  }
  t.diagnostic(`${tookMs.join(' ')} ms`)
  if (given !== undefined) ok(Math.max(...tookMs) < stallMs, `${tookMs.join(' ')} ms`)
})
