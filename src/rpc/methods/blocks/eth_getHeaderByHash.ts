// eth_getHeaderByHash [blockHash]: the header of a block, orphans included, with the header members of eth_getBlockByHash; null,
// label `none`, for a hash that no source knows.
// Tested by src/rpc/methods/blocks/raw-and-headers.test.ts
import { renderHeader } from '../../../chain/block-object.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments, parseHash, required } from '../../params/arguments.ts'
import { findNamed } from '../../bundles/proved-block.ts'

export const ethGetHeaderByHash: RpcMethod<Uint8Array> = {
  name: 'eth_getHeaderByHash',
  summary: 'A header.',
  params: [requiredParam('blockHash', wire.blockHash)],
  result: wire.orNull(wire.headerObject),
  units: 80,
  upstream: {
    serve: 'prove',
    class: 'read',
    data: 'header',
    block: { at: 0, form: 'hash' },
    replyBytesMax: replyBytes.header,
  },
  cache: {
    block: (blockHash) => ({ hash: blockHash, requireCanonical: false }),
    key: () => '',
  },
  bundle: {
    block: (blockHash) => ({ hash: blockHash, requireCanonical: false }),
    params: (_, blockHash) => [blockHash],
  },
  parse(params) {
    const [blockHash] = parseArguments(params, [required(parseHash)])
    return blockHash
  },
  *read(blockHash, call) {
    const block = yield* findNamed(call, blockHash)
    if (block === null) return null
    call.labels.level('proof')
    return renderHeader(block)
  },
}
