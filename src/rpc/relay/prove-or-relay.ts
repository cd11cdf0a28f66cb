// Serves a provable read on a network whose upstreams may be unable to prove it: `require` fails closed; `prefer` falls back to the
// answer of an upstream and labels it; `off` relays the call without trying; `header` relays it for a block with a proved header
// (networks whose lists Cairn cannot rebuild).
// Tested by src/rpc/relay/upstream-operations.test.ts
import { Fault, type FaultCode, hasCode } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { renderHeader } from '../../chain/block-object.ts'
import {
  type BlockParameter,
  type RpcCall,
  type RpcDeclaration,
  type RpcOperation,
  runOperation,
} from '../operation.ts'
import { findNamed, findResolved } from '../bundles/proved-block.ts'
import { relayedAddresses } from '../params/relayed-calls.ts'
import { parseBlock, relayCall } from './relay.ts'
import type { ProvedServing } from './serving-policy.ts'
import { completeRead, fetched, type Read } from '../../chain/read.ts'

export type VerifyMode = 'require' | 'prefer' | 'header' | 'off'

type Input = {
  readonly params: readonly unknown[]
  readonly block: BlockParameter | null
  readonly parsed: unknown
}

/** No source could prove the answer; an upstream may still have the value. */
const unproved: ReadonlySet<FaultCode> = new Set(['unprovable', 'unverified', 'no_state', 'pruned'])

function isUnproved(thrown: unknown): boolean {
  return thrown instanceof Fault && unproved.has(thrown.code)
}

type RelayTarget = Parameters<typeof relayCall>[1]

/** Their result is the header plus lists. */
const blockMethods: ReadonlySet<string> = new Set(['eth_getBlockByHash', 'eth_getBlockByNumber'])

/**
 * Every block has these values, so null means that the upstream lacks them. For other methods, null can mean an index past the end.
 */
const ofEveryBlock = /^eth_getBlock|^eth_getUncleCount/

/**
 * `byHash`: the equivalent method that takes a block hash, if this one takes none. Null for an unknown block. Throws as proving a
 * header does, and `pruned`, `unverified` for a block without its lists.
 */
async function relayUnderHeader(
  call: RpcCall,
  { method, byHash }: { readonly method: RelayTarget; readonly byHash: string | undefined },
  params: readonly unknown[],
  block: BlockParameter,
): Promise<unknown> {
  const proved =
    'hash' in block
      ? await completeRead(findNamed(call, block.hash), call.signal)
      : await completeRead(findResolved(call, block), call.signal)
  if (proved === null) return null
  const result = await (byHash === undefined
    ? relayCall(call, method, params, block, 'block')
    : relayCall(
        call,
        { name: byHash, class: method.class, provable: true },
        [toHex(proved.hash), ...params.slice(1)],
        null,
        'block',
      ))
  if (result === null && ofEveryBlock.test(method.name)) throw new Fault('pruned')
  if (!blockMethods.has(method.name)) return result
  if (typeof result !== 'object' || Array.isArray(result)) throw new Fault('unverified')
  // The proved header replaces the header members that the upstream sent.
  return { ...result, ...renderHeader(proved) }
}

/** `served`: the policy of the method: the data that it reads, and how to send the same read to an upstream. */
export function proveOrRelay(
  operation: RpcOperation<unknown>,
  served: Pick<ProvedServing, 'class' | 'block' | 'data' | 'calls' | 'units'>,
  verify: VerifyMode,
): RpcOperation<unknown> {
  const { block, data, calls } = served
  // Calls are wrapped under every policy: their accounts are parsed as an upstream would, because `pending` is always relayed.
  if (verify === 'require' && calls === undefined) return operation
  const { name, cache, bundle, addresses } = operation
  const { units = operation.units } = served
  const method = {
    name,
    class: relayClassOf(served),
    // Quorum would cost each call several times, and nodes suggest different fees. So neither is sent for quorum.
    ...(calls === undefined && data !== 'fees' && { provable: true }),
    ...(block && { block }),
  } as const
  const declared: RpcDeclaration<Input> = {
    name,
    units,
    parse: (params) => ({
      params,
      parsed: operation.parse(params),
      block: parseBlock(block, params),
    }),
    ...(addresses && {
      addresses: ({ parsed, params }) =>
        calls === undefined
          ? addresses.call(operation, parsed)
          : relayedAddresses(calls, params, block?.at ?? null),
    }),
    ...(cache &&
      (verify === 'prefer' || verify === 'require') && {
        cache: {
          block: ({ parsed }) => cache.block(parsed),
          key: ({ parsed }) => cache.key(parsed),
        },
      }),
    ...(bundle && {
      bundle: {
        ...(bundle.as !== undefined && { as: bundle.as }),
        block: ({ parsed }) => bundle.block(parsed),
        params: ({ parsed }, blockHash, number) => bundle.params(parsed, blockHash, number),
      },
    }),
  }
  const by = { method, byHash: bundle?.as }
  const relayed = (input: Input, call: RpcCall) =>
    relayCall(call, method, input.params, input.block)
  // If Cairn does not know the form of the lists, it still proves the header and takes only the rest from an upstream.
  async function instead(input: Input, call: RpcCall, thrown: unknown): Promise<unknown> {
    if (!isUnproved(thrown)) throw thrown
    const isForm = data === 'block' && hasCode(thrown, 'unprovable')
    return isForm && input.block !== null
      ? await relayUnderHeader(call, by, input.params, input.block)
      : await relayed(input, call)
  }
  const wrapped: RpcOperation<Input> =
    verify === 'prefer' && operation.read !== undefined
      ? {
          ...declared,
          read: (input, call) =>
            readOrElse(operation.read(input.parsed, call), (thrown, signal) =>
              instead(input, { ...call, signal }, thrown),
            ),
        }
      : {
          ...declared,
          async run(input, call) {
            if (verify === 'header' && input.block !== null) {
              return await relayUnderHeader(call, by, input.params, input.block)
            }
            if (verify === 'require') return await runOperation(operation, input.parsed, call)
            if (verify === 'prefer') {
              try {
                return await runOperation(operation, input.parsed, call)
              } catch (thrown) {
                return await instead(input, call, thrown)
              }
            }
            return await relayed(input, call)
          },
        }
  return wrapped as RpcOperation<unknown>
}

/** Class of the call that is relayed instead. */
export function relayClassOf(served: Pick<ProvedServing, 'class'>): 'read' | 'trace' {
  return served.class === 'trace' ? 'trace' : 'read'
}

/** Runs `read`. If no source can prove data that it needs, returns the answer of an upstream. */
function* readOrElse(
  read: Read<unknown>,
  instead: (thrown: unknown, signal: AbortSignal) => Promise<unknown>,
): Read<unknown> {
  let unproved: unknown
  try {
    return yield* read
  } catch (thrown) {
    if (!isUnproved(thrown)) throw thrown
    unproved = thrown
  }
  return yield* fetched((signal) => instead(unproved, signal))
}
