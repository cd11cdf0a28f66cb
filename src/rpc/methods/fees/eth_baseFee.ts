// eth_baseFee []: the base fee of the block after the latest, computed from its proved header (EIP-1559).
// Tested by src/rpc/methods/rpc-compat.test.ts, src/rpc/methods/fees/fees.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { feeRulesOf } from '../../../chain/network.ts'
import { readNextBaseFee } from '../../../chain/fee-history.ts'
import { completeRead } from '../../../chain/read.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'

export const ethBaseFee: RpcMethod<null> = {
  name: 'eth_baseFee',
  summary: 'Base fee of the next block.',
  params: [],
  result: wire.quantity,
  units: 80,
  upstream: { serve: 'prove', class: 'read', data: 'fees', block: null },
  cache: { block: () => latestBlock, key: () => '' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, call) {
    feeRulesOf(call.network)
    const latest = await completeRead(resolveHeader(call, latestBlock), call.signal)
    const fee = await readNextBaseFee(call.network, latest)
    call.labels.level('proof')
    return latest.header.baseFeePerGas === undefined ? null : toQuantity(fee)
  },
}
