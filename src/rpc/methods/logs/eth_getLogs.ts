// eth_getLogs [filter]: the logs of one block or of a range, from proved receipts; returns all of them or refuses.
import type { Clock } from '../../../base/clock.ts'
import { Fault, type FaultCode } from '../../../base/fault.ts'
import { logDataBytesMax, logResultsMax, logTimeMs, queryLogs } from '../../../chain/logs.ts'
import { resolveLogRange } from '../../filters/log-range.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { type LogQuery, parseLogFilter } from '../../params/log-filter.ts'
import { canonicalBlocks, canonicalFilter } from '../../filters/canonical-log-query.ts'
import { createRefusedSearches } from '../../filters/refused-searches.ts'

/** Long enough for the automatic retries of clients. */
const refusedMs = 10_000
const refusedMax = 1_000
const tooMuch: ReadonlySet<FaultCode> = new Set(['over_range', 'response_too_large'])

export function createEthGetLogs(clock: Clock): RpcMethod<LogQuery> {
  const limits = {
    resultsMax: logResultsMax,
    dataBytesMax: logDataBytesMax,
    timeMs: logTimeMs,
    clock,
  }
  const refused = createRefusedSearches({ entriesMax: refusedMax, ttlMs: refusedMs, clock })
  return {
    name: 'eth_getLogs',
    summary: 'Logs of a range of blocks.',
    params: [requiredParam('filter', wire.logFilter)],
    result: wire.list(wire.log),
    units: 255,
    upstream: { serve: 'self', class: 'read' },
    bundle: {
      block: ({ blocks }) =>
        'hash' in blocks ? { hash: blocks.hash, requireCanonical: false } : blocks.to,
      params(query, blockHash, number) {
        const blocks = canonicalBlocks(query.blocks, blockHash, number)
        return blocks === null ? null : [{ ...blocks, ...canonicalFilter(query.filter) }]
      },
    },
    parse(params) {
      const [query] = parseArguments(params, [required(parseLogFilter)])
      return query
    },
    addresses: ({ filter }) => filter.addresses,
    async run({ blocks, filter }, call) {
      const range = await resolveLogRange(call, blocks)
      const { network, labels, signal } = call
      const refusal = refused.find(range, filter)
      if (refusal !== null) throw refusal
      try {
        const logs = await queryLogs(network, range, filter, limits, signal)
        labels.level('proof')
        return logs
      } catch (thrown) {
        if (thrown instanceof Fault && tooMuch.has(thrown.code)) {
          refused.add(range, filter, thrown)
        }
        throw thrown
      }
    },
  }
}
