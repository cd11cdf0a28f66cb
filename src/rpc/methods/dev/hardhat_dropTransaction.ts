// Removes transactions from the pool: one by its hash, those of a sender, or all.
// Tested by test/api/dev-methods-started.test.ts
import { Fault } from '../../../base/fault.ts'
import { toHex } from '../../../base/hex.ts'
import { findLocated } from '../../../chain/located.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseAddress, parseArguments, parseHash, required } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

/** Hardhat: true if the pool had it; a transaction in a block is refused. Anvil: its hash, or null. */
export const hardhatDropTransaction = devMethods<Uint8Array>({
  names: ['hardhat_dropTransaction', 'anvil_dropTransaction'],
  summary: 'Drops a pending transaction.',
  params: [requiredParam('transactionHash', wire.transactionHash)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseHash)])[0],
  async run(hash, sendOrder, { network, signal }, name) {
    const dropped = (await sendOrder({ kind: 'drop', hash })) > 0
    if (name.startsWith('anvil_')) return dropped ? toHex(hash) : null
    if (!dropped && (await findLocated(network, hash, signal)) !== null) {
      const detail = `transaction ${toHex(hash)} cannot be dropped because it is already in a block`
      throw new Fault('execution_failed', { detail })
    }
    return dropped
  },
})

export const anvilRemovePoolTransactions = devMethods<Uint8Array>({
  names: ['anvil_removePoolTransactions'],
  summary: 'Drops the pending transactions of a sender.',
  params: [requiredParam('address', wire.address)],
  result: wire.anything,
  parse: (params) => parseArguments(params, [required(parseAddress)])[0],
  addresses: (address) => [address],
  async run(sender, sendOrder) {
    await sendOrder({ kind: 'drop', sender })
    return null
  },
})

export const anvilDropAllTransactions = devMethods<null>({
  names: ['anvil_dropAllTransactions'],
  summary: 'Drops all pending transactions.',
  params: [],
  result: wire.anything,
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, sendOrder) {
    await sendOrder({ kind: 'drop' })
    return null
  },
})
