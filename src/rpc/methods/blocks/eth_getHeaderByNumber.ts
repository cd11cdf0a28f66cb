// eth_getHeaderByNumber [tag or number]: the header of a block; null above the head. `pending` is that of the block that the pool
// would produce now, label `trusted`.
// Tested by src/rpc/methods/blocks/raw-and-headers.test.ts
import { renderHeader } from '../../../chain/block-object.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseBlockNumber } from '../../params/block-parameter.ts'
import { findResolved } from '../../bundles/proved-block.ts'
import { isPending, pendingHeaderReply } from '../../replies/pending-block.ts'

export const ethGetHeaderByNumber: RpcMethod<BlockParameter> = {
  name: 'eth_getHeaderByNumber',
  summary: 'A header.',
  params: [requiredParam('block', wire.blockNumber)],
  result: wire.orNull(wire.headerObject),
  units: 80,
  upstream: {
    serve: 'prove',
    class: 'read',
    data: 'header',
    block: { at: 0, form: 'number' },
    replyBytesMax: replyBytes.header,
  },
  bundle: {
    as: 'eth_getHeaderByHash',
    block: (block) => block,
    params: (_, blockHash) => [blockHash],
  },
  parse(params) {
    const [block] = parseArguments(params, [required(parseBlockNumber)])
    return block
  },
  *read(block, call) {
    if (isPending(block)) return yield* pendingHeaderReply(call)
    const found = yield* findResolved(call, block)
    if (found === null) return null
    call.labels.level('proof')
    return renderHeader(found)
  },
}
