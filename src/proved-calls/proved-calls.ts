// Calls of one network on proved state: what the call reads is fetched and proved here, as any read of state, and its EVM
// runs in the thread of proved calls.
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
  /** The `config` of a geth genesis file as JSON text, once it is known to be the network's. Throws `unprovable`. */
  readonly configAt: (timestamp: bigint) => string | Promise<string>
  /** Whether its blocks set their fees as those of Ethereum. */
  readonly isEthereum: boolean
  readonly callGasMax: bigint
  readonly clock: Clock
  readonly log: Log
}

/** Calls of a simulation for which upstreams are asked what they touch. */
const hintedCallsMax = 8
/** A call that is computed ahead of its request ends after so long. */
const aheadMs = 10_000
/** Stands for the key of a call that is computed ahead, so that requests of the account take turns with it. */
const aheadKeyId = ''

export function createProvedCalls(parts: ProvedCallParts): ScheduledRules {
  const { thread, proofRate, relay, configAt, callGasMax, clock } = parts
  const hints = createAccessHint({ relay, clock })
  const codes = createCodeMemory(relay)
  const polled = createPolledCalls()
  const canary = createCallCanary({ network: parts.network, relay, log: parts.log })

  async function run<Asked extends ProvedExecution>(
    network: Network,
    ref: BlockRef,
    asked: Asked,
    owner: CallOwner,
    signal: AbortSignal,
  ): Promise<ProvedResults[Asked['kind']]> {
    const block = await completeRead(getHeader(network, ref.hash), signal)
    const config = await configAt(block.header.timestamp)
    const { calls, certain } = readsOf(block.header, asked)
    // A network that records has no memory of accounts.
    const isRecorded = network.accounts === undefined
    const answer = createCallReads({
      network,
      block,
      request: calls[0]?.request ?? {},
      certain,
      async hint(until) {
        // Evidence is read from a bundle alone.
        if (network.relay === null) return null
        const asking = calls
          .slice(0, hintedCallsMax)
          .map((call) => hints.query({ ...call, block: ref }, until))
        return (await Promise.all(asking)).flatMap((hint) => hint ?? [])
      },
      codes: isRecorded ? noCodes : codes.at(ref),
      pay: (proofs) => proofRate.take(owner.accountId, proofs, signal),
      signal,
    })
    const task = {
      network: network.name,
      asked,
      header: block.bytes,
      config,
      callGasMax,
      isRecorded,
    }
    return await thread.run(task, owner, answer, signal)
  }

  const runCall = (network: Network, it: RequestedCall, owner: CallOwner, signal: AbortSignal) =>
    run(network, it.block, { kind: 'call', ...callOf(it) }, owner, signal)

  return {
    onHead(network, head) {
      polled.begin(head, async (it, owner) => {
        using deadline = withDeadline(null, aheadMs, clock)
        return await runCall(network, it, { ...owner, keyId: aheadKeyId }, deadline.signal)
      })
    },
    on: (network): CallProver => ({
      async call(it, owner, signal) {
        // A network that records gets every value of the call.
        const ahead = network.accounts === undefined ? null : await polled.find(it, owner, signal)
        const data = ahead ?? (await runCall(network, it, owner, signal))
        canary.compare(it.block, { kind: 'call', ...callOf(it), data })
        return data
      },
      estimateGas: (it, owner, signal) =>
        run(network, it.block, { kind: 'estimate', ...callOf(it) }, owner, signal),
      createAccessList: (it, owner, signal) =>
        run(network, it.block, { kind: 'access-list', ...callOf(it) }, owner, signal),
      async simulate({ block, simulation }, owner, signal) {
        const asked = { kind: 'simulate', simulation } as const
        const blocks = await run(network, block, asked, owner, signal)
        canary.compare(block, { kind: 'simulation', simulation, blocks })
        return blocks
      },
      async traceCall(it, owner, signal) {
        const { tracer } = it
        const asked = { kind: 'trace-call', tracer, ...callOf(it) } as const
        const trace = await run(network, it.block, asked, owner, signal)
        canary.compare(it.block, { kind: 'trace', ...callOf(it), tracer, trace })
        return trace
      },
    }),
    feeRules: parts.isEthereum
      ? async (timestamp) =>
          feeRulesAt(JSON.parse(await configAt(timestamp)) as GenesisConfig, timestamp)
      : null,
  }
}

/** The calls of a simulation, and what else it reads. */
function readsOf(
  header: Header,
  asked: ProvedExecution,
): {
  readonly calls: readonly { readonly request: CallRequest; readonly overrides: Overrides }[]
  readonly certain: readonly AccessListEntry[]
} {
  if (asked.kind !== 'simulate') return { calls: [asked], certain: [] }
  const { simulation } = asked
  const calls = simulation.blocks.flatMap(({ block, state, calls: requests }) =>
    requests.map((request) => ({ request, overrides: { block, state } })),
  )
  return { calls, certain: simulationReads(header, simulation) }
}

function callOf({ request, overrides }: RequestedCall) {
  return { request, overrides }
}
