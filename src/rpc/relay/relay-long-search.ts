// eth_getLogs on a network of upstreams: a short range is rebuilt from proved receipts, which costs several requests per block. A
// long range is relayed with its tags fixed as numbers, and labelled as the claim of an upstream.
// Tested by src/rpc/relay/upstream-operations.test.ts
import { Fault } from '../../base/fault.ts'
import { toQuantity } from '../../base/hex.ts'
import { type BlockParameter, type RpcCall, type RpcOperation, runOperation } from '../operation.ts'
import type { GetFilterLogs } from '../methods/logs/eth_getFilterLogs.ts'
import type { LogQuery } from '../params/log-filter.ts'
import { proveOrRelay, type VerifyMode } from './prove-or-relay.ts'
import { relayCall } from './relay.ts'
import { canonicalLogQuery } from '../filters/canonical-log-query.ts'
import { completeRead } from '../../chain/read.ts'

/** Blocks whose receipts are fetched and proved for one search. */
const provedLogBlocksMax = 32n

type Input = {
  readonly params: readonly unknown[]
  readonly query: LogQuery
  /** Input of the operation that proves. */
  readonly parsed: unknown
}

export function relayLongSearch(
  operation: RpcOperation<unknown>,
  verify: VerifyMode,
): RpcOperation<unknown> {
  const prove = proveOrRelay(operation, { class: 'read', block: null, data: 'block' }, verify)
  const wrapped: RpcOperation<Input> = {
    name: operation.name,
    units: operation.units,
    parse(sent) {
      const query = operation.parse(sent) as LogQuery
      const params = onlyRead(sent)
      return { params, query, parsed: prove.parse(params) }
    },
    addresses: ({ query }) => query.filter.addresses,
    ...(operation.bundle && {
      bundle: {
        block: ({ query }) => operation.bundle?.block(query) ?? null,
        params: ({ query }, hash, number) => operation.bundle?.params(query, hash, number) ?? null,
      },
    }),
    async run({ params, query, parsed }, call) {
      const { blocks } = query
      // The operation decides how `pending` is handled.
      const range = 'hash' in blocks || isPending(blocks) ? null : await rangeOf(blocks, call)
      if (range === null) return await runOperation(prove, parsed, call)
      const filter = {
        ...(params[0] as object),
        fromBlock: toQuantity(range.first),
        toBlock: toQuantity(range.last),
      }
      const isShort = range.last - range.first < provedLogBlocksMax
      if (isShort && verify !== 'off') {
        // If the proof fails, the search is relayed for the block numbers in the labels.
        const pinned = verify === 'require' ? parsed : { ...(parsed as object), params: [filter] }
        return await runOperation(prove, pinned, call)
      }
      return await relayCall(call, { name: operation.name, class: 'read' }, [filter], null)
    },
  }
  return wrapped as RpcOperation<unknown>
}

/** eth_getFilterLogs by the same rule. `search`: the operation that `relayLongSearch` made. */
export function searchForFilter(
  operation: GetFilterLogs,
  search: RpcOperation<unknown>,
): RpcOperation<unknown> {
  const { name, units } = operation
  const wrapped: RpcOperation<string> = {
    name,
    units,
    parse: (params) => operation.parse(params),
    async run(id, call) {
      const query = await operation.queryOf(id, call)
      return await runOperation(search, search.parse([canonicalLogQuery(query)]), call)
    },
  }
  return wrapped as RpcOperation<unknown>
}

const readMembers: ReadonlySet<string> = new Set([
  'address',
  'blockHash',
  'fromBlock',
  'toBlock',
  'topics',
])

/** Only the members that Cairn checked: nodes written in Go read `Address` as `address`. */
function onlyRead([filter]: readonly unknown[]): readonly unknown[] {
  const members = Object.entries(filter ?? {}).filter(([name]) => readMembers.has(name))
  return [Object.fromEntries(members)]
}

function isPending(blocks: {
  readonly from: BlockParameter
  readonly to: BlockParameter
}): boolean {
  return [blocks.from, blocks.to].some((block) => 'tag' in block && block.tag === 'pending')
}

async function rangeOf(
  { from, to }: { readonly from: BlockParameter; readonly to: BlockParameter },
  call: RpcCall,
): Promise<{ readonly first: bigint; readonly last: bigint }> {
  const first = await numberOf(from, call)
  const last = await numberOf(to, call)
  const head = call.network.head.latest().number
  if (first > last) throw new Fault('bad_params', { detail: 'invalid block range params' })
  if (last > head) {
    throw new Fault('bad_params', { detail: 'block range extends beyond current head block' })
  }
  return { first, last }
}

async function numberOf(parameter: BlockParameter, call: RpcCall): Promise<bigint> {
  return 'number' in parameter
    ? parameter.number
    : (await completeRead(call.resolve(parameter), call.signal)).number
}
