// Methods by which development tools identify the chain: hardhat_metadata, anvil_metadata, anvil_nodeInfo.
// Tested by test/api/dev-methods-started.test.ts
import { toHex, toQuantity } from '../../../base/hex.ts'
import { executorOf } from '../../../chain/network.ts'
import { completeRead } from '../../../chain/read.ts'
import { suggestTip } from '../../../chain/suggest-tip.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseArguments } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'
import { devClientVersion } from '../net/web3_clientVersion.ts'
import { devMethods } from './dev-method.ts'

function parseNothing(params: readonly unknown[]): null {
  parseArguments(params, [])
  return null
}

/** `clientVersion`: what web3_clientVersion returns to other keys. */
export function createHardhatMetadata(clientVersion: string) {
  return devMethods<null>({
    names: ['hardhat_metadata', 'anvil_metadata'],
    summary: 'The program, the chain id, the latest block, and an id that hardhat_reset changes.',
    params: [],
    result: wire.object,
    parse: parseNothing,
    async run(_input, sendOrder, call) {
      const { instanceId, fork } = await sendOrder({ kind: 'state' })
      const { hash, header } = await completeRead(resolveHeader(call, latestBlock), call.signal)
      return {
        clientVersion: devClientVersion(clientVersion),
        chainId: Number(call.network.chainId),
        instanceId: toHex(instanceId),
        latestBlockNumber: Number(header.number),
        latestBlockHash: toHex(hash),
        ...(fork !== null && {
          forkedNetwork: {
            // A fork has the chain ID of its network.
            chainId: Number(call.network.chainId),
            forkBlockNumber: Number(fork.number),
            forkBlockHash: toHex(fork.hash),
          },
        }),
      }
    },
  })
}

export const anvilNode = devMethods<null>({
  names: ['anvil_nodeInfo'],
  summary: 'The latest block and how the next ones are made.',
  params: [],
  result: wire.object,
  parse: parseNothing,
  async run(_input, sendOrder, call) {
    const { network, signal } = call
    const { fork } = await sendOrder({ kind: 'state' })
    const latest = await completeRead(resolveHeader(call, latestBlock), signal)
    const { hash, header } = latest
    const baseFee = header.baseFeePerGas ?? 0n
    const gasPrice = baseFee + (await suggestTip(network, latest, signal))
    return {
      currentBlockNumber: toQuantity(header.number),
      currentBlockTimestamp: Number(header.timestamp),
      currentBlockHash: toHex(hash),
      // Unknown for another genesis or a fork.
      hardFork:
        fork === null && executorOf(network, 'anvil_nodeInfo').accounts.length > 0 ? 'osaka' : null,
      transactionOrder: 'fees',
      environment: {
        baseFee: toQuantity(baseFee),
        chainId: Number(network.chainId),
        gasLimit: toQuantity(header.gasLimit),
        gasPrice: toQuantity(gasPrice),
      },
      forkConfig: {
        // URLs of upstreams may contain keys.
        forkUrl: fork?.source ?? null,
        forkBlockNumber: fork === null ? null : Number(fork.number),
        forkRetryBackoff: null,
      },
    }
  },
})
