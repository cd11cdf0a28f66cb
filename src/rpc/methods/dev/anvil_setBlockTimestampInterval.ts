// anvil_setBlockTimestampInterval [seconds]: sets the time between a block and its parent, independent of the clock.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseTimeOrGas } from '../../params/amount.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

export const anvilSetBlockTimestampInterval = devMethods<bigint>({
  names: ['anvil_setBlockTimestampInterval'],
  summary: 'Sets the seconds from one block to the next.',
  params: [requiredParam('seconds', wire.amount)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseTimeOrGas)])[0],
  async run(timestampInterval, sendOrder) {
    await sendOrder({ kind: 'plan', blocks: { timestampInterval } })
    return null
  },
})

/** True if there was an interval. */
export const anvilRemoveBlockTimestampInterval = devMethods<null>({
  names: ['anvil_removeBlockTimestampInterval'],
  summary: 'Ends what anvil_setBlockTimestampInterval began.',
  params: [],
  result: wire.flag,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, sendOrder) {
    const { blocks } = await sendOrder({ kind: 'state' })
    await sendOrder({ kind: 'plan', blocks: { timestampInterval: null } })
    return blocks.timestampInterval !== null
  },
})
