// debug_getRawTransaction [hash]: the raw entry of its block's proved list, or as it waits in the pool (type 3
// without its sidecar); null, label `none`, while nobody knows it.
// Tested by src/rpc/methods/debug/debug-raw.test.ts
import { toHex } from '../../../base/hex.ts'
import type { RpcOperation } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseHash } from '../../params/fixed-bytes.ts'
import { findRawTransaction } from '../../replies/raw-transaction.ts'

export const debugGetRawTransaction: RpcOperation<Uint8Array> = {
  name: 'debug_getRawTransaction',
  units: 1000,
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
