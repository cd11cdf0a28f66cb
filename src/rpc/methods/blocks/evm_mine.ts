// evm_mine []: makes one block of what waits in the pool now, empty when nothing does; the answer is `0x0`, as
// development chains give it. Only on the embedded chain.
// Tested by test/api/pool-started.test.ts
import { executorOf } from '../../../chain/network.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'

export const evmMine: RpcMethod<null> = {
  name: 'evm_mine',
  summary: 'Makes a block now, on the embedded chain.',
  params: [],
  result: wire.text,
  units: 80,
  upstream: { serve: 'never', class: 'unlisted' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, { network, labels, signal, caller }) {
    const block = await executorOf(network, 'evm_mine').mine(signal, caller)
    labels.level('trusted')
    labels.block(block)
    return '0x0'
  },
}
