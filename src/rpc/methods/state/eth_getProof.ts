// eth_getProof [address, keys, block?]: the account, the slots and the trie nodes that prove them (EIP-1186).
import { toHex, toQuantity } from '../../../base/hex.ts'
import { proveAccount } from '../../../chain/state-proof.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { optional, parseAddress, parseArguments, required } from '../../params/arguments.ts'
import { latestBlock, parseBlockParameter } from '../../params/block-parameter.ts'
import { parseStorageKeys, type StorageKey } from '../../params/storage-keys.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

type Input = {
  readonly address: Uint8Array
  readonly keys: readonly StorageKey[]
  readonly block: BlockParameter
}

/** One path: 65 nodes of 532 bytes in hex, and half as much again for whitespace and members. */
const pathBytes = 128 * 1024
/** Margin beyond the paths, so that the verification detects an upstream that pads the proof. */
const paddingBytes = 3 * 1024 * 1024

/** One path for the account, and one for each slot. */
function proofBytesMax([, slots]: readonly unknown[]): number {
  return paddingBytes + pathBytes * (1 + (Array.isArray(slots) ? slots.length : 0))
}

export const ethGetProof: RpcMethod<Input> = {
  name: 'eth_getProof',
  summary: 'An account and slots with the trie nodes that prove them (EIP-1186).',
  params: [
    requiredParam('address', wire.address),
    requiredParam('storageKeys', wire.storageKeys),
    optionalParam('block', wire.block),
  ],
  result: wire.accountProof,
  units: 150,
  upstream: {
    serve: 'prove',
    class: 'content',
    data: 'state',
    block: { at: 2, form: 'object' },
    pendingIsLatest: true,
    replyBytesMax: proofBytesMax,
  },
  bundle: {
    block: ({ block }) => block,
    params: ({ address, keys }, blockHash) => [toHex(address), keys.map(shownKey), blockHash],
  },
  parse(params) {
    const [address, keys, block] = parseArguments(params, [
      required(parseAddress),
      required(parseStorageKeys),
      optional(parseBlockParameter, latestBlock),
    ])
    return { address, keys, block }
  },
  addresses: ({ address }) => [address],
  async run({ address, keys, block }, call) {
    const header = await completeRead(resolveHeader(call, block), call.signal)
    const at = { network: call.network, block: header, address }
    const positions = keys.map(({ position }) => position)
    const { account, proof, slots } = await proveAccount(at, positions, call.signal)
    call.labels.level('proof')
    return {
      address: toHex(address),
      accountProof: proof.map(toHex),
      balance: toQuantity(account.balance),
      codeHash: toHex(account.codeHash),
      nonce: toQuantity(account.nonce),
      storageHash: toHex(account.storageRoot),
      storageProof: slots.map((slot, index) => ({
        key: shownKey(keys[index] as StorageKey),
        value: wordQuantity(slot.value),
        proof: slot.proof.map(toHex),
      })),
    }
  },
}

function shownKey({ position, isFullLength }: StorageKey): string {
  return isFullLength ? toHex(position) : wordQuantity(position)
}

function wordQuantity(word: Uint8Array): string {
  return toQuantity(BigInt(toHex(word)))
}
