// eth_getStorageValues [{address: slots}, block?]: many slots of many accounts at one block, all proved.
// Tested by src/rpc/methods/state/eth_getProof.test.ts
import { toHex } from '../../../base/hex.ts'
import { proveAccount } from '../../../chain/state-proof.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { optional, parseArguments, required } from '../../params/arguments.ts'
import { latestBlock, parseBlockParameter } from '../../params/block-parameter.ts'
import { parseSlotsByAddress, type SlotsOfAccount } from '../../params/storage-keys.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

type Input = { readonly accounts: readonly SlotsOfAccount[]; readonly block: BlockParameter }

export const ethGetStorageValues: RpcMethod<Input> = {
  name: 'eth_getStorageValues',
  summary: 'Slots of many accounts at one block.',
  params: [requiredParam('slots', wire.slotsByAddress), optionalParam('block', wire.block)],
  result: wire.object,
  units: 150,
  upstream: { serve: 'prove', class: 'read', data: 'state', block: { at: 1, form: 'object' } },
  bundle: {
    block: ({ block }) => block,
    params: ({ accounts }, blockHash) => [
      Object.fromEntries(accounts.map((it) => [toHex(it.address), it.positions.map(toHex)])),
      blockHash,
    ],
  },
  parse(params) {
    const [accounts, block] = parseArguments(params, [
      required(parseSlotsByAddress),
      optional(parseBlockParameter, latestBlock),
    ])
    return { accounts, block }
  },
  addresses: ({ accounts }) => accounts.map(({ address }) => address),
  async run({ accounts, block }, call) {
    const { network, signal } = call
    const header = await completeRead(resolveHeader(call, block), call.signal)
    const values = await Promise.all(
      accounts.map(async ({ address, positions }) => {
        const { slots } = await proveAccount({ network, block: header, address }, positions, signal)
        return [toHex(address), slots.map(({ value }) => toHex(value))] as const
      }),
    )
    call.labels.level('proof')
    return Object.fromEntries(values)
  },
}
