// eth_getBlockTransactionCountByHash [blockHash]: how many transactions the block holds, proved; null for an unknown block.
// Tested by src/gateway/operations/rpc-compat.test.ts
import { toQuantity } from '../../base/hex.ts'
import { decodeEntries } from '../../codec/list.ts'
import { readTransactionList } from '../../ethereum/blocks.ts'
import type { RpcOperation } from '../operation.ts'
import { parseArguments, required } from '../params/arguments.ts'
import { parseHash } from '../params/fixed-bytes.ts'
import { findNamed } from '../proved-block.ts'

export const ethGetBlockTransactionCountByHash: RpcOperation<Uint8Array> = {
  name: 'eth_getBlockTransactionCountByHash',
  units: 150,
  parse(params) {
    const [block] = parseArguments(params, [required(parseHash)])
    return block
  },
  async run(block, call) {
    const found = await findNamed(call, block)
    if (found === null) return null
    const list = await readTransactionList(call.network, found, call.signal)
    call.labels.level('proof')
    return toQuantity(decodeEntries(list).length)
  },
}
