// eth_getBalance [address, block?]: wei as QUANTITY, proved; an absent account is a proved 0x0.
// Tested by src/rpc/methods/plain-answers.test.ts
import { toHex, toLatin1, toQuantity } from '../../../base/hex.ts'
import { findAccount } from '../../../chain/state.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { type AccountInput, parseAccountInput } from '../../params/account-input.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'

export const ethGetBalance: RpcMethod<AccountInput> = {
  name: 'eth_getBalance',
  summary: 'Balance of an account, in wei.',
  params: [requiredParam('address', wire.address), optionalParam('block', wire.block)],
  result: wire.quantity,
  units: 80,
  upstream: {
    serve: 'prove',
    class: 'read',
    data: 'state',
    block: { at: 1, form: 'object' },
    replyBytesMax: replyBytes.number,
  },
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
  *read({ address, block }, call) {
    const header = yield* resolveHeader(call, block)
    const account = yield* findAccount({ network: call.network, block: header, address })
    call.labels.level('proof')
    return toQuantity(account?.balance ?? 0n)
  },
}
