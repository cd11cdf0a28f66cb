// Calls on proved state answer as geth does: return data, errors and gas of generated calls on each fork. CAIRN_CALLS sets
// how many calls of each fork run, CAIRN_SEED where they begin.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { missingGeth, startGeth } from '../engines/geth.ts'
import { plain, startBehindGeth } from './behind-geth.ts'
import { forks, generateChain } from './generated-contracts.ts'

const callsEach = Number(process.env['CAIRN_CALLS'] ?? 100)
const seed = Number(process.env['CAIRN_SEED'] ?? 1)

for (const [index, fork] of forks.entries()) {
  test(
    `${callsEach} generated calls on ${fork} answer as geth does, with a proof`,
    { skip: missingGeth(), timeout: 600_000 },
    async (t) => {
      t.diagnostic(`CAIRN_SEED=${seed}`)
      const chain = generateChain(seed + index, fork)
      const geth = await startGeth(t, chain.genesis)
      const cairn = await startBehindGeth(t, geth)
      const differences: unknown[] = []
      for (let count = 0; count < callsEach && differences.length < 5; count += 1) {
        const params = chain.nextCall()
        const [expected, answer] = await Promise.all([
          geth.call('eth_call', params),
          cairn.call('eth_call', params),
        ])
        const answered = { ...plain(answer), verified: answer.verified }
        const wanted = { ...plain(expected), verified: 'proof' }
        if (!isDeepStrictEqual(answered, wanted)) {
          differences.push({ count, params, answered, wanted })
        }
      }
      assert.deepEqual(differences, [])
    },
  )
}
