// anvil_getIntervalMining []: seconds between blocks; null: no interval.
// Tested by test/api/dev-methods-started.test.ts
import * as wire from '../../open-rpc/types.ts'
import { parseArguments } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

export const anvilGetIntervalMining = devMethods<null>({
  names: ['anvil_getIntervalMining'],
  summary: 'The seconds between blocks. Null: no block by time.',
  params: [],
  result: wire.anything,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, sendOrder) {
    const { intervalMs } = (await sendOrder({ kind: 'state' })).mining
    const ms = typeof intervalMs === 'number' ? intervalMs : (intervalMs?.[0] ?? 0)
    return ms === 0 ? null : ms / 1000
  },
})
