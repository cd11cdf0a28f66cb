// eth_getCode [address, block?]: the account's code, proved by its codeHash; `0x` when there is none.
// Tested by src/gateway/operations/plain-answers.test.ts
import { toHex, toLatin1 } from '../../../../base/hex.ts'
import { heldCode, readCode } from '../../../../ethereum/state.ts'
import type { RpcOperation } from '../../../operation.ts'
import { type AccountInput, parseAccountInput } from '../../../params/account-input.ts'
import { headerNow, resolveHeader } from '../../../proved-block.ts'

export const ethGetCode: RpcOperation<AccountInput> = {
  name: 'eth_getCode',
  units: 80,
  cache: {
    block: ({ block }) => block,
    key: ({ address }) => toLatin1(address),
  },
  bundle: {
    block: ({ block }) => block,
    params: ({ address }, blockHash) => [toHex(address), blockHash],
  },
  parse: parseAccountInput,
  addresses: ({ address }) => [address],
  runNow({ address, block }, call) {
    const header = headerNow(call, block)
    const code = header && heldCode({ network: call.network, block: header, address })
    if (code === null) return undefined
    call.labels.level('proof')
    return toHex(code)
  },
  async run({ address, block }, call) {
    const header = await resolveHeader(call, block)
    const code = await readCode({ network: call.network, block: header, address }, call.signal)
    call.labels.level('proof')
    return toHex(code)
  },
}
