// kill -9 at random instants while single blocks are committed: after a restart with unwritten index rows, every acknowledged block
// exists. The seed is printed; set CAIRN_SEED to repeat a run.
// Tests guarantee 2 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { seeded } from '../fakes/seeded.ts'
import { temporaryFolder } from '../started-server.ts'

const rounds = 5
const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
const program = fileURLToPath(new URL('../fakes/files/killed-store.ts', import.meta.url))

test(`acknowledged blocks exist after kill -9, and after a second kill -9 (seed ${seed})`, async (t) => {
  const random = seeded(seed)
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const acknowledged: string[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const all = acknowledged.slice(-4000)
    const child = spawn(process.execPath, [program, dataDir, `${round * 1e6}`, all.join()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    // Between a fraction of the delay of index rows and several delays.
    const stopAt = 1 + random(6000)
    let isReady = false
    let count = 0
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === 'ready') isReady = true
      else acknowledged.push(line)
      if (line === 'ready' && round === rounds) child.kill('SIGKILL')
      if ((count += 1) === stopAt) child.kill('SIGKILL')
    }
    await ended
    assert.ok(isReady, 'every block of the rounds before was there')
  }
  assert.ok(acknowledged.length > rounds)
  t.diagnostic(`${acknowledged.length} acknowledged`)
})
