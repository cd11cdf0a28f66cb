// Compares a sample of proved calls with the results of an upstream, to detect faults of the EVM. It never changes a result.
// Tested by test/calls/proved-calls.test.ts, test/calls/proved-traces.test.ts,
// test/calls/proved-simulations.test.ts
import { toHex } from '../base/hex.ts'
import type { Log } from '../base/log.ts'
import { callParams, simulationParams, traceParams } from '../chain/call-json.ts'
import type {
  BlockSimulation,
  CallRequest,
  Overrides,
  SimulatedBlock,
  TracerChoice,
} from '../chain/computation.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Relay } from '../chain/relay.ts'
import { keccak256 } from '../codec/hash/keccak.ts'

/** Result of a call. `trace`: the JSON value of the tracer. */
type Outcome =
  | (ComparedCall & { readonly kind: 'call'; readonly data: Uint8Array })
  | (ComparedCall & {
      readonly kind: 'trace'
      readonly tracer: TracerChoice
      readonly trace: unknown
    })
  | {
      readonly kind: 'simulation'
      readonly simulation: BlockSimulation
      readonly blocks: readonly SimulatedBlock[]
    }

type ComparedCall = { readonly request: CallRequest; readonly overrides: Overrides }

export type CallCanary = {
  /** Compares in the background, if the call is sampled. */
  compare(block: BlockRef, outcome: Outcome): void
}

/** A request to an upstream, the proved result as text, and the conversion of the upstream's result to the same text. */
type Comparison = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly proved: string
  readonly read: (result: unknown) => string
}

/** The first calls of a process are all compared, because they show the faults of a new release; then one in `everyCalls`. */
const firstCalls = 100
const everyCalls = 200
/** Comparisons in progress; further calls are not compared. */
const pendingMax = 4
/** Characters of each value in a log line. */
const shownMax = 2_000

export function createCallCanary(parts: {
  readonly network: string
  readonly relay: Relay
  readonly log: Log
}): CallCanary {
  const { network, relay, log } = parts
  const unaborted = new AbortController().signal
  let calls = 0
  let pending = 0

  async function compareOne(block: BlockRef, { method, params, proved, read }: Comparison) {
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
    compare(block, outcome) {
      calls += 1
      const isSampled = calls <= firstCalls || calls % everyCalls === 0
      if (!isSampled || pending >= pendingMax) return
      const comparison = comparisonOf(outcome)
      if (comparison === null) return
      pending += 1
      // A failed upstream request shows nothing about the EVM.
      void compareOne(block, comparison)
        .catch(() => {})
        .finally(() => (pending -= 1))
    },
  }
}

/** Null: the form of such a trace differs between nodes. */
function comparisonOf(outcome: Outcome): Comparison | null {
  if (outcome.kind === 'call') {
    const params = callParams(outcome.request, null, outcome.overrides)
    return { method: 'eth_call', params, proved: toHex(outcome.data), read: String }
  }
  if (outcome.kind === 'simulation') {
    const params = simulationParams(outcome.simulation, null, false)
    const proved = outcome.blocks.map(outcomeOfBlock).join('; ')
    return { method: 'eth_simulateV1', params, proved, read: outcomeOfBlocks }
  }
  const proved = outcomeOfTrace(outcome)
  if (proved === null) return null
  const params = traceParams(outcome, null, { kind: 'call', onlyTopCall: true, withLog: false })
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

/** The block hash covers gas and logs, but not the return data of calls. */
function outcomeOfBlock({ header, calls }: SimulatedBlock): string {
  return [keccak256(header), ...calls.map(({ returnData }) => returnData)].map(toHex).join(' ')
}

function outcomeOfBlocks(blocks: unknown): string {
  type Shown = { readonly hash: string; readonly calls: readonly { readonly returnData: string }[] }
  return (blocks as readonly Shown[])
    .map(({ hash, calls }) => [hash, ...calls.map(({ returnData }) => returnData)].join(' '))
    .join('; ')
}
