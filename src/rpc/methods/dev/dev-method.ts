// Methods that development tools call on the embedded chain (hardhat_, anvil_, evm_): only for keys with `devMethods`, and never on
// networks behind upstreams. Aliases share one declaration.
// Tested by test/api/dev-methods-started.test.ts
import type { DevOrder, DevResults } from '../../../chain/dev-chain.ts'
import { executorOf } from '../../../chain/network.ts'
import type { RpcCall, RpcMethod } from '../../operation.ts'

/** Runs an order on the chain of the call. Throws as `DevChain.run`. */
type SendOrder = <Order extends DevOrder>(order: Order) => Promise<DevResults[Order['kind']]>

type Declaration<Input> = Pick<
  RpcMethod<Input>,
  'summary' | 'params' | 'result' | 'parse' | 'addresses'
> & {
  /** Wire names. */
  readonly names: readonly string[]
  run(input: Input, sendOrder: SendOrder, call: RpcCall, name: string): Promise<unknown>
}

export function devMethods<Input>({
  names,
  run,
  ...declared
}: Declaration<Input>): readonly RpcMethod<Input>[] {
  return names.map((name) => ({
    ...declared,
    name,
    units: 80,
    development: true,
    upstream: { serve: 'never', class: 'unlisted' },
    async run(input, call) {
      const { dev } = executorOf(call.network, name)
      call.labels.level('trusted')
      return await run(input, (order) => dev.run(order, call.signal, call.caller), call, name)
    },
  }))
}

/** The result that hardhat and anvil return for an order without a result. */
export function done(name: string): true | null {
  return name.startsWith('anvil_') ? null : true
}
