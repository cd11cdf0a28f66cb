// eth_getLogs [filter]: the logs of one block or of a range, out of proved receipts, complete or refused.
import type { Clock } from '../../base/clock.ts'
import { logResultsMax, logTimeMs, queryLogs } from '../../ethereum/logs.ts'
import { resolveLogRange } from '../log-range.ts'
import type { RpcOperation } from '../operation.ts'
import { parseArguments, required } from '../params/arguments.ts'
import { type LogQuery, parseLogFilter } from '../params/log-filter.ts'

export function createEthGetLogs(clock: Clock): RpcOperation<LogQuery> {
  const limits = { resultsMax: logResultsMax, timeMs: logTimeMs, clock }
  return {
    name: 'eth_getLogs',
    units: 255,
    parse(params) {
      const [query] = parseArguments(params, [required(parseLogFilter)])
      return query
    },
    async run({ blocks, filter }, call) {
      const range = await resolveLogRange(call, blocks)
      const { network, signal } = call
      const logs = range === null ? [] : await queryLogs(network, range, filter, limits, signal)
      call.labels.level('proof')
      return logs
    },
  }
}
