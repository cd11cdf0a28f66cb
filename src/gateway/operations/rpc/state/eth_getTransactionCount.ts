// eth_getTransactionCount [address, block?]: the account's nonce, proved; `pending` counts the pool instead.
// Tested by src/gateway/operations/plain-answers.test.ts
import { toHex, toQuantity } from '../../../../base/hex.ts'
import { findAccount, heldAccount } from '../../../../ethereum/state.ts'
import type { RpcOperation } from '../../../operation.ts'
import { type AccountInput, parseAccountInput } from '../../../params/account-input.ts'
import { headerNow, resolveHeader } from '../../../proved-block.ts'

export const ethGetTransactionCount: RpcOperation<AccountInput> = {
  name: 'eth_getTransactionCount',
  units: 80,
  bundle: {
    block: ({ block }) => block,
    params: ({ address }, blockHash) => [toHex(address), blockHash],
  },
  parse: parseAccountInput,
  addresses: ({ address }) => [address],
  runNow({ address, block }, call) {
    if ('tag' in block && block.tag === 'pending') return undefined
    const header = headerNow(call, block)
    const account = header && heldAccount({ network: call.network, block: header, address })
    if (account === null) return undefined
    call.labels.level('proof')
    return toQuantity(account.nonce)
  },
  async run({ address, block }, call) {
    if ('tag' in block && block.tag === 'pending') {
      await call.resolve(block)
      const { pool } = call.network
      const count = await pool.pendingNonce(address, call.signal, call.caller)
      call.labels.level(pool.level)
      return toQuantity(count)
    }
    const header = await resolveHeader(call, block)
    const account = await findAccount(
      { network: call.network, block: header, address },
      call.signal,
    )
    call.labels.level('proof')
    return toQuantity(account?.nonce ?? 0n)
  },
}
