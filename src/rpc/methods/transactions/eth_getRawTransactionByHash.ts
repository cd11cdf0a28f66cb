// eth_getRawTransactionByHash [hash]: the signed bytes of a transaction, as debug_getRawTransaction finds them; as in
// geth `0x`, label `none`, for a transaction that no source knows.
// Tested by src/rpc/methods/blocks/raw-and-headers.test.ts
import { toHex } from '../../../base/hex.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseHash, required } from '../../params/arguments.ts'
import { rawReply } from '../../replies/one-transaction.ts'
import { findRawTransaction } from '../../replies/raw-transaction.ts'

export const ethGetRawTransactionByHash: RpcMethod<Uint8Array> = {
  name: 'eth_getRawTransactionByHash',
  summary: 'A transaction as it was signed; 0x for none.',
  params: [requiredParam('transactionHash', wire.transactionHash)],
  result: wire.bytes,
  units: 80,
  upstream: { serve: 'prove', class: 'read', data: 'block', block: null },
  bundle: {
    block: () => null,
    params: (hash) => [toHex(hash)],
  },
  parse(params) {
    const [hash] = parseArguments(params, [required(parseHash)])
    return hash
  },
  async run(hash, call) {
    return rawReply(await findRawTransaction(call, hash))
  },
}
