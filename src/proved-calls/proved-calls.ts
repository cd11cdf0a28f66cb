// Runs calls of one network on proved state. The EVM runs in the proved-call thread; the state that it reads is fetched and
// proved here, like any other state.
// Tested by test/calls/proved-calls.test.ts
import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import type { Log } from '../base/log.ts'
import { getHeader } from '../chain/blocks.ts'
import type { AccessListEntry, CallOwner, CallRequest, Overrides } from '../chain/computation.ts'
import type { CallProver, RequestedCall } from '../chain/evm-executor.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Network, ScheduledRules } from '../chain/network.ts'
import { completeRead } from '../chain/read.ts'
import type { Relay } from '../chain/relay.ts'
import type { Header } from '../codec/ethereum/header.ts'
import { feeRulesAt } from '../evm/blob-schedule.ts'
import type { GenesisConfig } from '../evm/genesis.ts'
import { createAccessHint } from './access-hint.ts'
import { createCallCanary } from './call-canary.ts'
import { createCallReads } from './call-reads.ts'
import { createCodeMemory, noCodes } from './code-memory.ts'
import { createPolledCalls } from './polled-calls.ts'
import type { ProofRate } from './proof-rate.ts'
import type { ProvedCallThread } from './proved-call-thread.ts'
import type { ProvedExecution, ProvedResults } from './proved-execution.ts'
import { simulationReads } from './simulation-reads.ts'

export type ProvedCallParts = {
  readonly network: string
  readonly thread: ProvedCallThread
  readonly proofRate: ProofRate
  readonly relay: Relay
  /** The `config` of a geth genesis file as JSON text, checked against the network (fork-schedule.ts). Throws `unprovable`. */
  readonly configAt: (timestamp: bigint) => string | Promise<string>
  /** True if its blocks follow Ethereum's fee rules. */
  readonly isEthereum: boolean
  readonly callGasMax: bigint
  readonly clock: Clock
  readonly log: Log
}

/** Number of calls of a simulation for which a hint is requested. */
const hintedCallsMax = 8
/** Time limit of a precomputed call. */
const aheadMs = 10_000
/** Key ID of precomputed calls: the queue of the thread alternates between them and the requests of the account. */
const aheadKeyId = ''

export function createProvedCalls(parts: ProvedCallParts): ScheduledRules {
  const { thread, proofRate, relay, configAt, callGasMax, clock } = parts
  const hints = createAccessHint({ relay, clock })
  const codes = createCodeMemory(relay)
  const polled = createPolledCalls()
  const canary = createCallCanary({ network: parts.network, relay, log: parts.log })

  async function run<Execution extends ProvedExecution>(
    network: Network,
    ref: BlockRef,
    execution: Execution,
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<ProvedResults[Execution['kind']]> {
    const block = await completeRead(getHeader(network, ref.hash), signal)
    const config = await configAt(block.header.timestamp)
    const { calls, certain } = readsOf(block.header, execution)
    // A network that records proofs has no account cache.
    const isRecorded = network.accounts === undefined
    const resolveValue = createCallReads({
      network,
      block,
      request: calls[0]?.request ?? {},
      certain,
      async hint(hintSignal) {
        // State from a proof bundle: there is no upstream.
        if (network.relay === null) return null
        const queries = calls
          .slice(0, hintedCallsMax)
          .map((call) => hints.query({ ...call, block: ref }, hintSignal))
        return (await Promise.all(queries)).flatMap((hint) => hint ?? [])
      },
      codes: isRecorded ? noCodes : codes.at(ref),
      admit: (proofs) => proofRate.acquire(owner.accountId, proofs, signal),
      signal,
    })
    const task = {
      network: network.name,
      execution,
      header: block.bytes,
      config,
      callGasMax,
      isRecorded,
    }
    return await thread.run(task, owner, resolveValue, signal)
  }

  const runCall = (
    network: Network,
    requested: RequestedCall,
    owner: CallOwner,
    signal: AbortSignal,
  ) => run(network, requested.block, { kind: 'call', ...callOf(requested) }, owner, signal)

  return {
    onHead(network, head) {
      polled.begin(head, async (requested, owner) => {
        using deadline = withDeadline(null, aheadMs, clock)
        return await runCall(network, requested, { ...owner, keyId: aheadKeyId }, deadline.signal)
      })
    },
    on: (network): CallProver => ({
      async call(requested, owner, signal) {
        // A recording needs every value of the call, so it does not use a precomputed result.
        const ahead =
          network.accounts === undefined ? null : await polled.find(requested, owner, signal)
        const data = ahead ?? (await runCall(network, requested, owner, signal))
        canary.compare(requested.block, { kind: 'call', ...callOf(requested), data })
        return data
      },
      estimateGas: (requested, owner, signal) =>
        run(network, requested.block, { kind: 'estimate', ...callOf(requested) }, owner, signal),
      createAccessList: (requested, owner, signal) =>
        run(network, requested.block, { kind: 'access-list', ...callOf(requested) }, owner, signal),
      async simulate({ block, simulation }, owner, signal) {
        const execution = { kind: 'simulate', simulation } as const
        const blocks = await run(network, block, execution, owner, signal)
        canary.compare(block, { kind: 'simulation', simulation, blocks })
        return blocks
      },
      async traceCall(requested, owner, signal) {
        const { tracer } = requested
        const execution = { kind: 'trace-call', tracer, ...callOf(requested) } as const
        const trace = await run(network, requested.block, execution, owner, signal)
        canary.compare(requested.block, { kind: 'trace', ...callOf(requested), tracer, trace })
        return trace
      },
    }),
    feeRules: parts.isEthereum
      ? async (timestamp) =>
          feeRulesAt(JSON.parse(await configAt(timestamp)) as GenesisConfig, timestamp)
      : null,
  }
}

/** The calls of an execution, and the other state that it certainly reads. */
function readsOf(
  header: Header,
  execution: ProvedExecution,
): {
  readonly calls: readonly { readonly request: CallRequest; readonly overrides: Overrides }[]
  readonly certain: readonly AccessListEntry[]
} {
  if (execution.kind !== 'simulate') return { calls: [execution], certain: [] }
  const { simulation } = execution
  const calls = simulation.blocks.flatMap(({ block, state, calls: requests }) =>
    requests.map((request) => ({ request, overrides: { block, state } })),
  )
  return { calls, certain: simulationReads(header, simulation) }
}

function callOf({ request, overrides }: RequestedCall) {
  return { request, overrides }
}
