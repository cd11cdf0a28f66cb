// eth_getStorageAt [address, position, block?]: 32 bytes, proved by walking block hash -> account -> slot.
import { joinLatin1, toHex } from '../../../../base/hex.ts'
import { goOnToStorage, heldStorage, readStorage } from '../../../../ethereum/state.ts'
import type { BlockParameter, RpcOperation } from '../../../operation.ts'
import { Unfinished } from '../../../unfinished.ts'
import { optional, parseArguments, required } from '../../../params/arguments.ts'
import { latestBlock, parseBlockParameter } from '../../../params/block-parameter.ts'
import { parseAddress } from '../../../params/fixed-bytes.ts'
import { parseStoragePosition } from '../../../params/storage-position.ts'
import { headerNow, resolveHeader } from '../../../proved-block.ts'

type Input = {
  readonly address: Uint8Array
  readonly position: Uint8Array
  readonly block: BlockParameter
}

export const ethGetStorageAt: RpcOperation<Input> = {
  name: 'eth_getStorageAt',
  units: 80,
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
  runNow({ address, position, block }, call) {
    const header = headerNow(call, block)
    if (header === null) return undefined
    const at = { network: call.network, block: header, address }
    const found = heldStorage(at, position)
    if (found === null) return undefined
    const told = (value: Uint8Array): string => {
      call.labels.level('proof')
      return toHex(value)
    }
    if (found instanceof Uint8Array) return told(found)
    return new Unfinished((signal) => goOnToStorage(at, position, found, signal).then(told))
  },
  async run({ address, position, block }, call) {
    const header = await resolveHeader(call, block)
    const at = { network: call.network, block: header, address }
    const value = await readStorage(at, position, call.signal)
    call.labels.level('proof')
    return toHex(value)
  },
}
