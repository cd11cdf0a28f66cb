// eth_getCode [address, block?]: the account's code, proved by its codeHash; `0x` if it has none.
// Tested by src/rpc/methods/plain-answers.test.ts
import { toHex, toLatin1 } from '../../../base/hex.ts'
import { readCode } from '../../../chain/state.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { type AccountInput, parseAccountInput } from '../../params/account-input.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'

export const ethGetCode: RpcMethod<AccountInput> = {
  name: 'eth_getCode',
  summary: 'Code of an account.',
  params: [requiredParam('address', wire.address), optionalParam('block', wire.block)],
  result: wire.bytes,
  units: 80,
  upstream: {
    serve: 'prove',
    class: 'content',
    data: 'state',
    block: { at: 1, form: 'object' },
    replyBytesMax: replyBytes.code,
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
    const code = yield* readCode({ network: call.network, block: header, address })
    call.labels.level('proof')
    return toHex(code)
  },
}
