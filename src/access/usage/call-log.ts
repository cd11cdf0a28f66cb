// Logs one line per finished call of a key: method and outcome. Never the URL, because it contains the key.
// Tested by src/access/usage/call-log.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { UsedCall } from './usage-row.ts'

/** `failed`: calls with an error other than a valid reply of the chain or of an upstream. */
export type LoggedCalls = 'none' | 'failed' | 'all'

/** Maximum lines per second. Further calls of that second are counted in one line. */
const linesPerSecondMax = 200

/** Errors that are valid replies: a revert, and the error reply of an upstream. */
const answers: ReadonlySet<string> = new Set(['reverted', 'upstream_said'])

/** Returns the function that logs a call. `calls` is read for each call. */
export function createCallLog({
  calls,
  clock,
  log,
}: {
  readonly calls: () => LoggedCalls
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}): (call: UsedCall) => void {
  let second = 0
  let lines = 0
  let left = 0

  function mayLog(): boolean {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) {
      if (left > 0) log('warn', 'calls_not_logged', { calls: left, linesPerSecondMax })
      second = now
      lines = 0
      left = 0
    }
    if (lines < linesPerSecondMax) lines++
    else left++
    return left === 0
  }

  return (call) => {
    const logged = calls()
    const { outcome, reason, status, face, network, ms } = call
    if (logged === 'none' || (logged === 'failed' && isAnswer(outcome)) || !mayLog()) return
    log(status >= 500 ? 'warn' : 'info', 'call', {
      api: face === 'rpc' ? 'rpc' : 'ipfs',
      ...(network === '' ? {} : { network }),
      method: call.method,
      key: call.keyId,
      account: call.accountId,
      outcome,
      ...(reason === '' ? {} : { reason }),
      status,
      units: call.units,
      ...(ms === null ? {} : { ms: Math.round(ms * 1000) / 1000 }),
    })
  }
}

function isAnswer(outcome: string): boolean {
  return outcome === 'ok' || answers.has(outcome)
}
