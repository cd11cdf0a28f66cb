// Operations that relay a call to an upstream: known reads of a pinned block, and methods without a description. Their answers are
// never cached; the relay reports the level of each.
// Tested by src/rpc/relay/upstream-operations.test.ts
import { Fault, hasCode } from '../../base/fault.ts'
import type { Level } from '../../chain/level.ts'
import type { Network } from '../../chain/network.ts'
import type { Relay, RelayedCall } from '../../chain/relay.ts'
import type { BlockParameter, RpcCall, RpcOperation } from '../operation.ts'
import { tooManyArguments } from '../params/arguments.ts'
import { latestBlock, parseBlockNumber, parseBlockParameter } from '../params/block-parameter.ts'
import { relayedAddresses } from '../params/relayed-calls.ts'
import type { RelayedMethod } from './relayed-methods.ts'
import { completeRead } from '../../chain/read.ts'

type Input = { readonly params: readonly unknown[]; readonly block: BlockParameter | null }

/** A known read. Cairn checks its block parameter; the upstream checks the others. */
export function relayListed(method: RelayedMethod): RpcOperation<Input> {
  const { name, units, calls, paramsMax = Infinity } = method
  return {
    name,
    units,
    parse(params) {
      if (params.length > paramsMax) throw tooManyArguments(paramsMax)
      return { params, block: parseBlock(method.block, params) }
    },
    ...(calls === undefined
      ? {}
      : { addresses: ({ params }) => relayedAddresses(calls, params, method.block?.at ?? null) }),
    run: ({ params, block }, call) => relayCall(call, method, params, block),
  }
}

/** A method that no table lists. It may write, so its params are unchanged and it is never retried. */
export function relayUnlisted(name: string): RpcOperation<readonly unknown[]> {
  return {
    name: 'other',
    units: 80,
    parse: (params) => params,
    // It could touch any account.
    addresses: () => [],
    run: (params, call) => relayCall(call, { name, class: 'unlisted' }, params, null),
  }
}

/** Null if the method has no block parameter, or for the pending block, which cannot be pinned. */
export function parseBlock(
  block: RelayedMethod['block'] | null,
  params: readonly unknown[],
): BlockParameter | null {
  if (block === null || block === undefined) return null
  const parse = block.form === 'number' ? parseBlockNumber : parseBlockParameter
  const value = params[block.at] ?? null
  const parsed = value === null ? latestBlock : parse(value, block.at)
  return 'tag' in parsed && parsed.tag === 'pending' ? null : parsed
}

/**
 * Queries the upstreams and sets the label. `block`: the resolved parameter at `method.block`. `fixedLevel`: level of the
 * answer, if it does not depend on the upstream.
 */
export async function relayCall(
  call: RpcCall,
  method: Pick<RelayedMethod, 'name' | 'class' | 'block'> & {
    readonly provable?: boolean
    /** Query only this upstream. */
    readonly upstream?: string
  },
  params: readonly unknown[],
  block: BlockParameter | null,
  fixedLevel: Level | null = null,
): Promise<unknown> {
  const request: RelayedCall = {
    method: method.name,
    params,
    class: method.class,
    ...(method.provable === true && { provable: true }),
    ...(method.upstream !== undefined && { upstream: method.upstream }),
    ...(call.network.hint.watch && { watch: call.network.hint.watch }),
    ...(await pinOf(method.block, block, call)),
  }
  const { result, level, byNumber } = await relayOf(call.network, method.name).call(
    request,
    call.signal,
  )
  // An upstream that gets a number may answer for another block with that number.
  call.labels.level(byNumber === true ? level : (fixedLevel ?? level))
  return result
}

async function pinOf(
  position: RelayedMethod['block'],
  block: BlockParameter | null,
  call: RpcCall,
): Promise<Pick<RelayedCall, 'pin'>> {
  if (position === undefined || block === null || position.form === 'hash') return {}
  try {
    return {
      pin: {
        at: position.at,
        form: position.form,
        block: await completeRead(call.resolve(block), call.signal),
      },
    }
  } catch (thrown) {
    // A hash pins the block by itself, even if its header cannot be proved.
    if ('hash' in block && hasCode(thrown, 'unverified')) return {}
    throw thrown
  }
}

function relayOf({ relay }: Network, method: string): Relay {
  if (relay !== null) return relay
  const detail = `The method ${method.slice(0, 256)} does not exist/is not available`
  throw new Fault('no_method', { detail })
}
