// eth_getRawTransactionByHash [hash]: the signed bytes of a transaction, as debug_getRawTransaction finds them; as in
// geth `0x`, label `none`, for a transaction that no source knows.
// Tested by src/rpc/methods/blocks/raw-and-headers.test.ts
import { toHex } from '../../../base/hex.ts'
import type { RpcOperation } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseHash } from '../../params/fixed-bytes.ts'
import { rawReply } from '../../replies/one-transaction.ts'
import { findRawTransaction } from '../../replies/raw-transaction.ts'

export const ethGetRawTransactionByHash: RpcOperation<Uint8Array> = {
  name: 'eth_getRawTransactionByHash',
  units: 80,
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
