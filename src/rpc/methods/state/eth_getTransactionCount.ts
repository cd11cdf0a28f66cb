// eth_getTransactionCount [address, block?]: the account's nonce, proved; `pending` counts the pool instead.
// Tested by src/rpc/methods/plain-answers.test.ts
import { toHex, toQuantity } from '../../../base/hex.ts'
import { fetched, type Read } from '../../../chain/read.ts'
import { findAccount } from '../../../chain/state.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { ReadCall, RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { type AccountInput, parseAccountInput } from '../../params/account-input.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'

export const ethGetTransactionCount: RpcMethod<AccountInput> = {
  name: 'eth_getTransactionCount',
  summary: 'Nonce of an account.',
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
  bundle: {
    block: ({ block }) => block,
    params: ({ address }, blockHash) => [toHex(address), blockHash],
  },
  parse: parseAccountInput,
  addresses: ({ address }) => [address],
  *read({ address, block }, call) {
    if ('tag' in block && block.tag === 'pending') return yield* countWithPool(address, call)
    const header = yield* resolveHeader(call, block)
    const account = yield* findAccount({ network: call.network, block: header, address })
    call.labels.level('proof')
    return toQuantity(account?.nonce ?? 0n)
  },
}

function* countWithPool(address: Uint8Array, call: ReadCall): Read<string> {
  yield* call.resolve({ tag: 'pending' })
  const { pool } = call.network
  const count = yield* fetched((signal) => pool.pendingNonce(address, signal, call.caller))
  call.labels.level(pool.level)
  return toQuantity(count)
}
