// Calls on proved state return the same as geth: return data, errors and gas of generated calls on each fork. CAIRN_CALLS sets the
// number of calls per fork, CAIRN_SEED the first seed.
import { test } from 'node:test'
import { missingGeth, startGeth } from '../engines/geth.ts'
import { assertSameCalls, callsEach, seed, startBehindGeth } from './behind-geth.ts'
import { forks, generateChain } from './generated-contracts.ts'

for (const [index, fork] of forks.entries()) {
  test(
    `${callsEach} generated calls on ${fork} answer as geth does, with a proof`,
    { skip: missingGeth(), timeout: 600_000 },
    async (t) => {
      t.diagnostic(`CAIRN_SEED=${seed}`)
      const { genesis, nextCall } = generateChain(seed + index, fork)
      const geth = await startGeth(t, genesis)
      const cairn = await startBehindGeth(t, geth)
      await assertSameCalls(geth, cairn, { count: callsEach, nextCall })
    },
  )
}
