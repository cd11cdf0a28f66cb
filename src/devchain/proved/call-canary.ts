// Compares some proved calls with what an upstream answers: the only guard against a fault of our EVM. It changes no answer.
// Tested by test/calls/proved-calls.test.ts
import { toHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import { callParams } from '../../chain/call-json.ts'
import type { RequestedCall } from '../../chain/evm-executor.ts'
import type { Relay } from '../../chain/relay.ts'

export type CallCanary = {
  /** `data`: what the call returned. Compares in the background, if it is the turn of this call. */
  compare(asked: RequestedCall, data: Uint8Array): void
}

/** The first calls of a process, in which a new release shows its faults, and then one of so many. */
const firstCalls = 100
const everyCalls = 200
/** Under way; a call beyond is not compared. */
const comparesMax = 4
/** Characters of a log line. */
const shownMax = 2_000

export function createCallCanary(parts: {
  readonly network: string
  readonly relay: Relay
  readonly log: Log
}): CallCanary {
  const { network, relay, log } = parts
  const unaborted = new AbortController().signal
  let calls = 0
  let underway = 0

  async function ask({ request, block, overrides }: RequestedCall, data: Uint8Array) {
    const params = callParams(request, null, overrides)
    const pin = { at: 1, form: 'object', block } as const
    const asked = { method: 'eth_call', params, pin, class: 'read' } as const
    const { result } = await relay.call(asked, unaborted)
    const proved = toHex(data)
    if (result === proved) return
    log('error', 'chain.call_differs', {
      network,
      block: toHex(block.hash),
      params: JSON.stringify(params).slice(0, shownMax),
      proved: proved.slice(0, shownMax),
      upstream: String(result).slice(0, shownMax),
    })
  }

  return {
    compare(asked, data) {
      calls += 1
      const isTurn = calls <= firstCalls || calls % everyCalls === 0
      if (!isTurn || underway >= comparesMax) return
      underway += 1
      // An upstream without an answer is no evidence.
      void ask(asked, data)
        .catch(() => {})
        .finally(() => (underway -= 1))
    },
  }
}
