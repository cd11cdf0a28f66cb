// debug_storageRangeAt [block, index, address, start, max]: slots of an account right before a transaction of a block, by
// the keccak256 of their keys, at most 1,024 a page. Label `trusted`.
// Tested by src/devchain/engine/storage-range.test.ts, test/api/traces-started.test.ts
import { toHex } from '../../../base/hex.ts'
import { executorOf } from '../../../chain/network.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import {
  parseAddress,
  parseArguments,
  parseBytes,
  parseInteger,
  required,
} from '../../params/arguments.ts'
import { parseBlockParameter } from '../../params/block-parameter.ts'
import { completeRead } from '../../../chain/read.ts'

type Input = {
  readonly block: BlockParameter
  readonly index: number
  readonly address: Uint8Array
  /** 32 bytes. */
  readonly start: Uint8Array
  readonly max: number
}

const slotsMax = 1024

export const debugStorageRangeAt: RpcMethod<Input> = {
  name: 'debug_storageRangeAt',
  summary: 'Slots of an account before a transaction, by the hash of their keys.',
  params: [
    requiredParam('block', wire.block),
    requiredParam('index', wire.integer),
    requiredParam('address', wire.address),
    requiredParam('start', wire.bytes),
    requiredParam('max', wire.integer),
  ],
  result: wire.object,
  units: 1000,
  upstream: { serve: 'relay', class: 'trace', calls: 'anywhere', replyBytesMax: replyBytes.slots },
  parse(params) {
    const [block, index, address, prefix, max] = parseArguments(params, [
      required(parseBlockParameter),
      required(parseInteger),
      required(parseAddress),
      required(parseBytes),
      required(parseInteger),
    ])
    const start = new Uint8Array(32)
    start.set(prefix.subarray(0, 32))
    return { block, index, address, start, max: Math.min(Math.max(max, 0), slotsMax) }
  },
  addresses: ({ address }) => [address],
  async run({ block, ...selection }, call) {
    const executor = executorOf(call.network, 'debug_storageRangeAt')
    const at = await completeRead(call.resolve(block), call.signal)
    call.labels.level('trusted')
    const range = await executor.storageRange({ block: at, ...selection }, call.caller, call.signal)
    if (range === null) return { storage: null, nextKey: null }
    const { slots, next } = range
    return {
      // The state contains only the hashes of keys, so the keys themselves are unknown.
      storage: Object.fromEntries(
        slots.map(({ hashedKey, value }) => [toHex(hashedKey), { key: null, value: toHex(value) }]),
      ),
      nextKey: next === null ? null : toHex(next),
    }
  },
}
