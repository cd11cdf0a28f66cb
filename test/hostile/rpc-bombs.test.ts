// Sends every body of rpc-bombs.ts to a started server: the correct reply at a bounded cost.
import assert from 'node:assert/strict'
import { platform } from 'node:process'
import { after, before, suite, test } from 'node:test'
import { type Started, startCairn } from '../started-server.ts'
import { readFigures } from './process-figures.ts'
import { rpcBombs } from './rpc-bombs.ts'

// About three times the highest measured cost; standard parsing costs more.
const cpuMsMax = 300
const workCpuMsMax = 15_000
const grownMiBMax = 120
const rounds = 3

suite('bodies made to cost', { skip: platform !== 'linux' && 'reads /proc' }, () => {
  let cairn: Started
  before(async () => {
    cairn = await startCairn()
    // Code costs more at its first execution.
    for (let n = 0; n < 200; n++) await cairn.rpc('eth_chainId')
    await cairn.rpc('eth_call', [{ data: '0x00' }, 'latest'])
  })
  after(() => cairn.stop())

  for (const bomb of rpcBombs) {
    test(`${bomb.name}: the right answer at a bounded cost`, async () => {
      const repeats = bomb.work === true ? 1 : rounds
      const idle = await readFigures(cairn.child.pid)
      for (let round = 0; round < repeats; round++) {
        const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...bomb.headers },
          body: bomb.body,
        })
        const text = await response.text()
        assert.deepEqual([response.status, text.slice(0, 300)], [bomb.status, text.slice(0, 300)])
        assert.match(text, bomb.reply)
        JSON.parse(text)
      }
      const spent = await readFigures(cairn.child.pid)
      const cpuMs = (spent.cpuMs - idle.cpuMs) / repeats
      assert.ok(cpuMs < (bomb.work === true ? workCpuMsMax : cpuMsMax), `${cpuMs} ms of processor`)
      const grown = spent.residentMiB - idle.residentMiB
      assert.ok(grown < grownMiBMax, `grew by ${grown} MiB`)
    })
  }

  test('the same process serves requests after all attacks', async () => {
    assert.equal(cairn.child.exitCode, null)
    assert.equal((await cairn.rpc('eth_chainId')).result, '0x539')
  })
})
