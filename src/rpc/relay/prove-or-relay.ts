// What becomes of a read that can be proved, on a network whose upstreams may not be able to prove it: `require`
// fails closed, `prefer` falls back to an upstream's word and says so, `off` takes the word at once, `header` takes
// it for a block whose header is proved (networks whose lists cannot be rebuilt).
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
  readonly own: unknown
}

/** No source could prove it; an upstream may still have the value. */
const unproved: ReadonlySet<FaultCode> = new Set(['unprovable', 'unverified', 'no_state', 'pruned'])

function isUnproved(thrown: unknown): boolean {
  return thrown instanceof Fault && unproved.has(thrown.code)
}

type Asked = Parameters<typeof relayCall>[1]

/** Their answer is the header, and lists beside it. */
const blockMethods: ReadonlySet<string> = new Set(['eth_getBlockByHash', 'eth_getBlockByNumber'])

/** A block that exists has these: null says only that the upstream lacks them. Past the end of a list null is an answer. */
const ofEveryBlock = /^eth_getBlock|^eth_getUncleCount/

/**
 * `byHash`: the method that asks the same by the block's hash, where this one takes none. Null without a known
 * block. Throws what proving a header throws, and `pruned`, `unverified` for a block without its lists.
 */
async function relayUnderHeader(
  call: RpcCall,
  { method, byHash }: { readonly method: Asked; readonly byHash: string | undefined },
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
  // Whatever it says of the header, that is proved.
  return { ...result, ...renderHeader(proved) }
}

/** `served`: the policy of the method, which states what it reads and how the same read is asked of an upstream. */
export function proveOrRelay(
  operation: RpcOperation<unknown>,
  served: Pick<ProvedServing, 'class' | 'block' | 'data' | 'calls' | 'units'>,
  verify: VerifyMode,
): RpcOperation<unknown> {
  const { block, data, calls } = served
  // The accounts of a call are read from what an upstream would get: `pending` is forwarded under every policy.
  if (verify === 'require' && calls === undefined) return operation
  const { name, cache, bundle, addresses } = operation
  const { units = operation.units } = served
  const method = {
    name,
    class: relayClassOf(served),
    // Upstreams that agree on a call are several times its cost, and nodes advise different prices.
    ...(calls === undefined && data !== 'fees' && { provable: true }),
    ...(block && { block }),
  } as const
  const declared: RpcDeclaration<Input> = {
    name,
    units,
    parse: (params) => ({
      params,
      own: operation.parse(params),
      block: parseBlock(block, params),
    }),
    ...(addresses && {
      addresses: ({ own, params }) =>
        calls === undefined
          ? addresses.call(operation, own)
          : relayedAddresses(calls, params, block?.at ?? null),
    }),
    ...(cache &&
      (verify === 'prefer' || verify === 'require') && {
        cache: { block: ({ own }) => cache.block(own), key: ({ own }) => cache.key(own) },
      }),
    ...(bundle && {
      bundle: {
        ...(bundle.as !== undefined && { as: bundle.as }),
        block: ({ own }) => bundle.block(own),
        params: ({ own }, blockHash, number) => bundle.params(own, blockHash, number),
      },
    }),
  }
  const by = { method, byHash: bundle?.as }
  const relayed = (input: Input, call: RpcCall) =>
    relayCall(call, method, input.params, input.block)
  // Lists of a form that is not known here: the header is proved, whatever an upstream says of the rest.
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
            readOrElse(operation.read(input.own, call), (thrown, signal) =>
              instead(input, { ...call, signal }, thrown),
            ),
        }
      : {
          ...declared,
          async run(input, call) {
            if (verify === 'header' && input.block !== null) {
              return await relayUnderHeader(call, by, input.params, input.block)
            }
            if (verify === 'require') return await runOperation(operation, input.own, call)
            if (verify === 'prefer') {
              try {
                return await runOperation(operation, input.own, call)
              } catch (thrown) {
                return await instead(input, call, thrown)
              }
            }
            return await relayed(input, call)
          },
        }
  return wrapped as RpcOperation<unknown>
}

/** Of the call that is forwarded instead. */
export function relayClassOf(served: Pick<ProvedServing, 'class'>): 'read' | 'trace' {
  return served.class === 'trace' ? 'trace' : 'read'
}

/** Where no source proves what `read` lacks, an upstream's answer. */
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
