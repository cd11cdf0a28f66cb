// Compares some proved calls with what an upstream answers: the only guard against a fault of our EVM. It changes no answer.
// Tested by test/calls/proved-calls.test.ts, test/calls/proved-traces.test.ts
import { toHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import { callParams, traceParams } from '../../chain/call-json.ts'
import type { TracerChoice } from '../../chain/computation.ts'
import type { RequestedCall } from '../../chain/evm-executor.ts'
import type { Relay } from '../../chain/relay.ts'

/** What a call gave. `trace`: as the tracer gives it. */
type Outcome =
  | { readonly kind: 'call'; readonly data: Uint8Array }
  | { readonly kind: 'trace'; readonly tracer: TracerChoice; readonly trace: unknown }

export type CallCanary = {
  /** Compares in the background, if it is the turn of this call. */
  compare(asked: RequestedCall, outcome: Outcome): void
}

/** One question to an upstream: how it is asked, what the proved answer is, and how to read it from the reply. */
type Comparison = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly proved: string
  readonly read: (result: unknown) => string
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

  async function ask({ block }: RequestedCall, { method, params, proved, read }: Comparison) {
    const pin = { at: 1, form: 'object', block } as const
    const { result } = await relay.call({ method, params, pin, class: 'read' }, unaborted)
    const upstream = read(result)
    if (upstream === proved) return
    log('error', 'chain.call_differs', {
      network,
      block: toHex(block.hash),
      method,
      params: JSON.stringify(params).slice(0, shownMax),
      proved: proved.slice(0, shownMax),
      upstream: upstream.slice(0, shownMax),
    })
  }

  return {
    compare(asked, outcome) {
      calls += 1
      const isTurn = calls <= firstCalls || calls % everyCalls === 0
      if (!isTurn || underway >= comparesMax) return
      const comparison = comparisonOf(asked, outcome)
      if (comparison === null) return
      underway += 1
      // An upstream without an answer is no evidence.
      void ask(asked, comparison)
        .catch(() => {})
        .finally(() => (underway -= 1))
    },
  }
}

/** Null: nodes show such a trace in forms of their own. */
function comparisonOf(asked: RequestedCall, outcome: Outcome): Comparison | null {
  if (outcome.kind === 'call') {
    const params = callParams(asked.request, null, asked.overrides)
    return { method: 'eth_call', params, proved: toHex(outcome.data), read: String }
  }
  const proved = outcomeOfTrace(outcome)
  if (proved === null) return null
  const params = traceParams(asked, null, { kind: 'call', onlyTopCall: true, withLog: false })
  return { method: 'debug_traceCall', params, proved, read: outcomeOfFrame }
}

/** Gas and return data, the same for both tracers. */
function outcomeOfTrace({ tracer, trace }: Outcome & { readonly kind: 'trace' }): string | null {
  if (tracer.kind === 'call') return outcomeOfFrame(trace)
  if (tracer.kind !== 'struct') return null
  const { gas, returnValue } = trace as { readonly gas: number; readonly returnValue: string }
  return `gas ${gas}, output ${returnValue}`
}

function outcomeOfFrame(frame: unknown): string {
  const { gasUsed, output = '0x' } = frame as { readonly gasUsed: string; readonly output?: string }
  return `gas ${Number(gasUsed)}, output ${output}`
}
