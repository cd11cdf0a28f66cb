// eth_getCode [address, block?]: the account's code, proved by its codeHash; `0x` when there is none.
// Tested by src/gateway/operations/plain-answers.test.ts
import { toHex, toLatin1 } from '../../base/hex.ts'
import { readCode } from '../../ethereum/state.ts'
import type { RpcOperation } from '../operation.ts'
import { type AccountInput, parseAccountInput } from '../params/account-input.ts'
import { resolveHeader } from '../proved-block.ts'

export const ethGetCode: RpcOperation<AccountInput> = {
  name: 'eth_getCode',
  units: 80,
  kept: {
    block: ({ block }) => block,
    key: ({ address }) => toLatin1(address),
  },
  parse: parseAccountInput,
  addresses: ({ address }) => [address],
  async run({ address, block }, call) {
    const header = await resolveHeader(call, block)
    const code = await readCode({ network: call.network, block: header, address }, call.signal)
    call.labels.level('proof')
    return toHex(code)
  },
}
