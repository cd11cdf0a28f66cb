// evm_snapshot []: records the head, the mining settings and the pool, for evm_revert.
// Tested by test/api/dev-methods-started.test.ts
import { toQuantity } from '../../../base/hex.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseArguments } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

export const evmSnapshot = devMethods<null>({
  names: ['evm_snapshot', 'anvil_snapshot'],
  summary: 'Remembers the chain as it is, and gives a number for evm_revert.',
  params: [],
  result: wire.quantity,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  run: async (_input, sendOrder) => toQuantity(await sendOrder({ kind: 'snapshot' })),
})
