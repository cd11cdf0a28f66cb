// eth_sendRawTransaction [bytes]: adds a signed transaction (types 0-4, type 3 with its sidecar) to the pool. Returns its hash,
// which Cairn computes itself.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { toHex } from '../../../base/hex.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments, parseBytes, required } from '../../params/arguments.ts'
import { sendTransaction } from '../../replies/send-transaction.ts'

export const ethSendRawTransaction: RpcMethod<Uint8Array> = {
  name: 'eth_sendRawTransaction',
  summary: 'Takes a signed transaction.',
  params: [requiredParam('transaction', wire.bytes)],
  result: wire.transactionHash,
  units: 80,
  upstream: { serve: 'self', class: 'send', replyBytesMax: replyBytes.number },
  parse(params) {
    const [raw] = parseArguments(params, [required(parseBytes)])
    return raw
  },
  async run(raw, call) {
    call.labels.level(call.network.pool.level)
    return toHex(await sendTransaction(raw, call))
  },
}
