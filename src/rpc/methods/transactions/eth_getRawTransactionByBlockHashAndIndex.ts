// eth_getRawTransactionByBlockHashAndIndex [blockHash, index]: the signed bytes of one transaction of the proved list. As in geth,
// `0x` for an index past its end (label `proof`) and for a block that no source knows (label `none`).
// Tested by src/rpc/methods/blocks/raw-and-headers.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseHash, parseIndex, required } from '../../params/arguments.ts'
import { findNamed } from '../../bundles/proved-block.ts'
import { rawReply, rawTransactionAt } from '../../replies/one-transaction.ts'

type Input = { readonly blockHash: Uint8Array; readonly index: bigint }

export const ethGetRawTransactionByBlockHashAndIndex: RpcMethod<Input> = {
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  summary: 'One transaction of a block as it was signed; 0x for none.',
  params: [requiredParam('blockHash', wire.blockHash), requiredParam('index', wire.quantity)],
  result: wire.bytes,
  units: 150,
  upstream: { serve: 'prove', class: 'read', data: 'block', block: { at: 0, form: 'hash' } },
  cache: {
    block: ({ blockHash }) => ({ hash: blockHash, requireCanonical: false }),
    key: ({ index }) => `${index}`,
  },
  bundle: {
    block: ({ blockHash }) => ({ hash: blockHash, requireCanonical: false }),
    params: ({ index }, blockHash) => [blockHash, toQuantity(index)],
  },
  parse(params) {
    const [blockHash, index] = parseArguments(params, [required(parseHash), required(parseIndex)])
    return { blockHash, index }
  },
  *read({ blockHash, index }, call) {
    const block = yield* findNamed(call, blockHash)
    return block === null ? rawReply(null) : yield* rawTransactionAt(call, block, index)
  },
}
