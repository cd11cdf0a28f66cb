// Settings of other development chains without a counterpart in Cairn: the log setting does nothing, a minimum gas price is
// refused.
// Tested by test/api/dev-methods-started.test.ts
import { Fault } from '../../../base/fault.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAmount } from '../../params/amount.ts'
import { parseArguments, parseFlag, required } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

export const hardhatSetLoggingEnabled = devMethods<boolean>({
  names: ['hardhat_setLoggingEnabled', 'anvil_setLoggingEnabled'],
  summary: 'Accepted without effect: the log of the server has its own settings.',
  params: [requiredParam('enabled', wire.flag)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseFlag)])[0],
  run: async (_enabled, _give, _call, name) => done(name),
})

/** Hardhat and anvil refuse it with this text on a chain with base fees. */
export const hardhatSetMinGasPrice = devMethods<bigint>({
  names: ['hardhat_setMinGasPrice', 'anvil_setMinGasPrice'],
  summary: 'Refused: blocks have a base fee.',
  params: [requiredParam('gasPrice', wire.amount)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseAmount)])[0],
  run(_gasPrice, _give, _call, name) {
    const detail = `${name} is not supported when EIP-1559 is active`
    return Promise.reject(new Fault('bad_params', { detail }))
  },
})
