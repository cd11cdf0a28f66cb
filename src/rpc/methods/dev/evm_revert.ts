// evm_revert [snapshot]: restores the chain to that snapshot; deletes it and all later ones.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAmount } from '../../params/amount.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

export const evmRevert = devMethods<bigint>({
  names: ['evm_revert', 'anvil_revert'],
  summary: 'Goes back to a snapshot. False: there is none of that number.',
  params: [requiredParam('snapshot', wire.amount)],
  result: wire.flag,
  parse: (params) => parseArguments(params, [required(parseAmount)])[0],
  run: (snapshot, sendOrder) => sendOrder({ kind: 'revert', snapshot }),
})
