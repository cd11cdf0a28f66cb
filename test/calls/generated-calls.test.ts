// Calls, traces and simulations on proved state return the same as geth: return data, errors, gas, steps and blocks of generated
// requests on each fork. CAIRN_CALLS sets the number of calls and of traces per fork (20 % as many simulations), CAIRN_SEED the first
// seed. Without CAIRN_CALLS, simulations run on every other fork.
import { test } from 'node:test'
import { missingGeth, startGeth } from '../engines/geth.ts'
import { assertSameCalls, callsEach, seed, startBehindGeth } from './behind-geth.ts'
import { forks, generateChain } from './generated-contracts.ts'
import { assertSameSimulations, withBeaconRoots } from './generated-simulations.ts'
import { assertSameTraces } from './generated-traces.ts'

const simulations = Math.ceil(callsEach / 5)
const isShort = process.env['CAIRN_CALLS'] === undefined

for (const [index, fork] of forks.entries()) {
  test(
    `generated requests on ${fork} are answered as geth does, with a proof`,
    { skip: missingGeth(), timeout: 600_000 },
    async (t) => {
      t.diagnostic(`CAIRN_SEED=${seed}`)
      const chain = generateChain(seed + index, fork)
      const geth = await startGeth(t, withBeaconRoots(chain.genesis))
      const cairn = await startBehindGeth(t, geth)
      const { nextCall } = chain
      await t.test(`${callsEach} calls`, () =>
        assertSameCalls(geth, cairn, { count: callsEach, nextCall }),
      )
      await t.test(`${callsEach} traces`, () => assertSameTraces(geth, cairn, chain))
      if (isShort && index % 2 === 1) return
      const own = { fork, chain, seed: seed + 500 + index, count: simulations }
      await t.test(`${simulations} simulations`, () => assertSameSimulations(geth, cairn, own))
    },
  )
}
