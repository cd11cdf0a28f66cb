// debug_getRawTransaction [hash]: the raw entry in the proved list of its block, or the pending transaction of the pool (type 3
// without its sidecar); null, label `none`, for an unknown transaction.
// Tested by src/rpc/methods/debug/debug-raw.test.ts
import { toHex } from '../../../base/hex.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseHash, required } from '../../params/arguments.ts'
import { findRawTransaction } from '../../replies/raw-transaction.ts'

export const debugGetRawTransaction: RpcMethod<Uint8Array> = {
  name: 'debug_getRawTransaction',
  summary: 'A transaction as it was signed.',
  params: [requiredParam('transactionHash', wire.transactionHash)],
  result: wire.bytes,
  units: 1000,
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
    const raw = await findRawTransaction(call, hash)
    return raw === null ? null : toHex(raw)
  },
}
