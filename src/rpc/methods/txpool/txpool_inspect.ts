// txpool_inspect []: every transaction in the pool as one line of text, in geth's format. Label `trusted`.
// Tested by test/api/pool-started.test.ts
import { executorOf } from '../../../chain/network.ts'
import { toChecksumAddress } from '../../../codec/ethereum/checksum-address.ts'
import { effectiveGasPrice } from '../../../chain/fees.ts'
import type { SignedTransaction } from '../../../chain/transaction-object.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'
import { poolReply } from '../../replies/pool-reply.ts'

export const txpoolInspect: RpcMethod<null> = {
  name: 'txpool_inspect',
  summary: 'What waits, a line each.',
  params: [],
  result: wire.object,
  units: 80,
  upstream: { serve: 'relay', class: 'read' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, { network, labels, signal, caller }) {
    const content = await executorOf(network, 'txpool_inspect').poolContent(null, signal, caller)
    labels.level('trusted')
    return poolReply(content, asLine)
  },
}

function asLine({ transaction }: SignedTransaction): string {
  const { to, value, gas } = transaction
  const target = to === null ? 'contract creation' : toChecksumAddress(to)
  return `${target}: ${value} wei + ${gas} gas × ${effectiveGasPrice(transaction, null)} wei`
}
