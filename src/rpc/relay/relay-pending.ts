// Reads of the pending block on networks behind upstreams. It has no header yet, so it has no proof: Cairn relays the call
// unchanged, and the label names the source of the answer.
// Tested by src/rpc/relay/upstream-operations.test.ts
import type { RpcCall, RpcDeclaration, RpcOperation } from '../operation.ts'
import { relayCall } from './relay.ts'
import { fetched } from '../../chain/read.ts'

/** Input of a read at `pending`. `parsed`: the input as the operation parsed it. */
class PendingRead {
  readonly params: readonly unknown[]
  readonly parsed: unknown
  constructor(params: readonly unknown[], parsed: unknown) {
    this.params = params
    this.parsed = parsed
  }
}

/** `at`: the position of the block parameter. `operation` serves reads of other blocks. */
export function relayPending(
  operation: RpcOperation<unknown>,
  at: number,
  relayClass: 'read' | 'trace',
): RpcOperation<unknown> {
  const { read, run, ...rest } = operation
  const { name, cache, bundle, addresses } = rest
  const relayed = ({ params }: PendingRead, call: RpcCall) =>
    relayCall(call, { name, class: relayClass }, params, null)
  const declared: RpcDeclaration<unknown> = {
    ...rest,
    parse(params) {
      const parsed = operation.parse(params)
      return isPending(params[at]) ? new PendingRead(params, parsed) : parsed
    },
    ...(addresses && { addresses: (input) => addresses.call(operation, parsedInput(input)) }),
    ...(cache && {
      cache: {
        block: (input) => (input instanceof PendingRead ? null : cache.block(input)),
        key: (input) => cache.key(parsedInput(input)),
      },
    }),
    ...(bundle && {
      bundle: {
        ...(bundle.as !== undefined && { as: bundle.as }),
        block: (input) => bundle.block(parsedInput(input)),
        params: (input, hash, number) => bundle.params(parsedInput(input), hash, number),
      },
    }),
  }
  return run !== undefined
    ? {
        ...declared,
        run: (input, call) =>
          input instanceof PendingRead ? relayed(input, call) : run.call(operation, input, call),
      }
    : {
        ...declared,
        read: (input, call) =>
          input instanceof PendingRead
            ? fetched((signal) => relayed(input, { ...call, signal }))
            : read.call(operation, input, call),
      }
}

function parsedInput(input: unknown): unknown {
  return input instanceof PendingRead ? input.parsed : input
}

/** `pending` alone or in the object of EIP-1898; the operation has parsed the value. */
function isPending(value: unknown): boolean {
  if (value === 'pending') return true
  return (
    typeof value === 'object' &&
    value !== null &&
    'blockNumber' in value &&
    value.blockNumber === 'pending'
  )
}
