// eth_getStorageAt [address, position, block?]: 32 bytes, proved by walking block hash -> account -> slot.
import { joinLatin1, toHex } from '../../../base/hex.ts'
import { readStorage } from '../../../chain/state.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import {
  optional,
  parseAddress,
  parseArguments,
  parseStoragePosition,
  required,
} from '../../params/arguments.ts'
import { latestBlock, parseBlockParameter } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'

type Input = {
  readonly address: Uint8Array
  readonly position: Uint8Array
  readonly block: BlockParameter
}

export const ethGetStorageAt: RpcMethod<Input> = {
  name: 'eth_getStorageAt',
  summary: 'The 32 bytes in a slot.',
  params: [
    requiredParam('address', wire.address),
    requiredParam('position', wire.position),
    optionalParam('block', wire.block),
  ],
  result: wire.word,
  units: 80,
  upstream: {
    serve: 'prove',
    class: 'read',
    data: 'state',
    block: { at: 2, form: 'object' },
    replyBytesMax: replyBytes.number,
  },
  cache: {
    block: ({ block }) => block,
    key: ({ address, position }) => joinLatin1(address, position),
  },
  bundle: {
    block: ({ block }) => block,
    params: ({ address, position }, blockHash) => [toHex(address), toHex(position), blockHash],
  },
  parse(params) {
    const [address, position, block] = parseArguments(params, [
      required(parseAddress),
      required(parseStoragePosition),
      optional(parseBlockParameter, latestBlock),
    ])
    return { address, position, block }
  },
  addresses: ({ address }) => [address],
  *read({ address, position, block }, call) {
    const header = yield* resolveHeader(call, block)
    const value = yield* readStorage({ network: call.network, block: header, address }, position)
    call.labels.level('proof')
    return toHex(value)
  },
}
