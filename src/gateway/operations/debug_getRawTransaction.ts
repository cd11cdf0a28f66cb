// debug_getRawTransaction [hash]: the raw entry of its block's proved list, or as it waits in the pool (type 3
// without its sidecar); null, label `none`, while nobody knows it.
// Tested by src/gateway/operations/debug-raw.test.ts
import { equalBytes, toHex } from '../../base/hex.ts'
import { transactionHash } from '../../codec/transaction.ts'
import { findLocated } from '../../ethereum/located.ts'
import type { RpcOperation } from '../operation.ts'
import { parseArguments, required } from '../params/arguments.ts'
import { parseHash } from '../params/fixed-bytes.ts'

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
  async run(hash, { network, labels, signal }) {
    const located = await findLocated(network, hash, signal)
    if (located !== null) {
      const { block, raw } = located
      labels.block({ network: network.name, hash: block.hash, number: block.header.number })
      labels.level('proof')
      return toHex(raw)
    }
    const raw = await network.pool.pendingTransaction(hash, signal)
    const isIt = raw !== null && equalBytes(transactionHash(raw), hash)
    labels.level(isIt ? network.pool.level : 'none')
    return isIt ? toHex(raw) : null
  },
}
