// eth_config []: the rules of the current, the next and the last known fork (EIP-7910). The schedule is configuration, so the label
// is `trusted`.
// Tested by src/rpc/methods/plain-answers.test.ts
import { Fault } from '../../../base/fault.ts'
import { toHex, toQuantity } from '../../../base/hex.ts'
import type { ForkConfig } from '../../../chain/fork-configs.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

export const ethConfig: RpcMethod<null> = {
  name: 'eth_config',
  summary: 'Forks and what they turn on (EIP-7910).',
  params: [],
  result: wire.object,
  units: 80,
  upstream: { serve: 'relay', class: 'read' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, call) {
    const { header } = await completeRead(resolveHeader(call, latestBlock), call.signal)
    const { chainId, forkConfigs } = call.network
    const configs = forkConfigs(header.timestamp)
    if (configs === null) {
      const detail = 'The method eth_config does not exist/is not available'
      throw new Fault('no_method', { detail })
    }
    call.labels.level('trusted')
    const render = (config: ForkConfig | null) =>
      config === null
        ? null
        : {
            activationTime: config.activationTime,
            blobSchedule: config.blobSchedule,
            chainId: toQuantity(chainId),
            forkId: toHex(config.forkId),
            precompiles: config.precompiles,
            systemContracts: config.systemContracts,
          }
    return {
      current: render(configs.current),
      next: render(configs.next),
      last: render(configs.last),
    }
  },
}
