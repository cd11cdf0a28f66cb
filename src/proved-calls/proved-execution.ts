// Executes one call on proved state: the kinds of execution, their checks and their results. Used by the proved-call thread and by
// the verifier of proof bundles.
// Tested by test/calls/proved-calls.test.ts
import type { Common } from '@ethereumjs/common'
import type {
  AccessListReport,
  BlockSimulation,
  CallRequest,
  Overrides,
  SimulatedBlock,
  TracerChoice,
} from '../chain/computation.ts'
import { Fault } from '../base/fault.ts'
import { encodeHeader, type Header } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { overrideHeader } from '../evm/apply-overrides.ts'
import { call } from '../evm/call.ts'
import { createVmOver } from '../evm/vm-over-state.ts'
import type { ChainRules } from '../evm/chain-rules.ts'
import { createAccessList } from '../evm/create-access-list.ts'
import { estimateGas } from '../evm/estimate-gas.ts'
import type { CallParts } from '../evm/call-parts.ts'
import { planBlocks } from '../evm/simulate/plan-blocks.ts'
import { simulate } from '../evm/simulate/simulate.ts'
import type { TimeSlice } from '../evm/time-slice.ts'
import { eventsOf } from '../evm/trace/tracer.ts'
import { traceCall } from '../evm/trace-call.ts'
import type { SplitReads } from './carried-calls.ts'
import { CallState } from './call-state.ts'
import type { ProvedState } from './proved-state.ts'
import { createSimulatedRoots } from './simulated-roots.ts'

type CallInput = { readonly request: CallRequest; readonly overrides: Overrides }

export type ProvedExecution =
  | (CallInput & { readonly kind: 'call' | 'estimate' | 'access-list' })
  | (CallInput & { readonly kind: 'trace-call'; readonly tracer: TracerChoice })
  | { readonly kind: 'simulate'; readonly simulation: BlockSimulation }

export type ProvedResults = {
  readonly call: Uint8Array
  readonly estimate: bigint
  readonly 'access-list': AccessListReport
  readonly 'trace-call': unknown
  readonly simulate: readonly SimulatedBlock[]
}

/** `header`: of the block whose state the call runs on. */
type ExecutionContext = {
  readonly header: Header
  readonly rules: ChainRules
  readonly callGasMax: bigint
  readonly state: ProvedState
  readonly slice: TimeSlice
  /** Notified at the start and end of each message of a call. */
  readonly frames?: Pick<SplitReads, 'begin' | 'end'> | null
}

/** Throws the errors of `EvmExecutor`, and those of reading `state`. */
export async function executeProved(
  execution: ProvedExecution,
  context: ExecutionContext,
): Promise<ProvedResults[ProvedExecution['kind']]> {
  if (execution.kind === 'simulate') return await simulateProved(execution.simulation, context)
  const { header, rules, callGasMax, state, slice, frames = null } = context
  checkForkOf(header, rules, execution.overrides.block.time)
  checkType(execution.request, rules.at(overrideHeader(header, execution.overrides.block)))
  const parts: CallParts = {
    rules,
    callGasMax,
    states: {
      headerOf: () => header,
      async open({ common, precompiles, slice }) {
        const machine = await createVmOver(new CallState(state), {
          common,
          precompiles,
          // A call with an overridden block number may read hashes of blocks that do not exist: zeros, as in go-ethereum.
          index: {
            hashOf: (number) =>
              number < header.number ? state.hashOf(number) : new Uint8Array(32),
          },
          slice,
        })
        if (frames !== null) {
          eventsOf(machine).on('beforeMessage', (message) => frames.begin(message))
          eventsOf(machine).on('afterMessage', () => frames.end())
        }
        return machine
      },
    },
  }
  const { request, overrides } = execution
  const task = { request, overrides, blockHash: new Uint8Array(32) }
  switch (execution.kind) {
    case 'call':
      return await call(parts, task, slice)
    case 'estimate':
      return await estimateGas(parts, task, slice)
    case 'access-list':
      return await createAccessList(parts, task, slice)
    case 'trace-call':
      return await traceCall(parts, { ...task, tracer: execution.tracer }, slice)
  }
}

/** Also throws `unprovable` if Cairn does not know the header format of the simulated blocks or cannot compute their state root. */
async function simulateProved(
  simulation: BlockSimulation,
  { header, rules, callGasMax, state, slice }: ExecutionContext,
): Promise<readonly SimulatedBlock[]> {
  const planned = planBlocks(header, simulation.blocks)
  checkForkOf(header, rules, planned.at(-1)?.timestamp)
  if (header.difficulty > 0n || rules.isOp) {
    const detail = 'simulated blocks have a proof only on Ethereum since the merge'
    throw new Fault('unprovable', { detail })
  }
  for (const { calls, number, timestamp } of planned) {
    const common = rules.at({ number, timestamp })
    // The header of such a block commits to its reads, which Cairn does not compute.
    if (common.isActivatedEIP(7928)) throw unknownFork(number)
    for (const request of calls) checkType(request, common)
  }
  const base = {
    rules,
    callGasMax,
    header,
    hash: keccak256(encodeHeader(header)),
    state: new CallState(state, createSimulatedRoots(state, header.stateRoot, slice)),
    hashOf: (number: bigint) => state.hashOf(number),
  }
  return await simulate(base, simulation, slice)
}

/**
 * go-ethereum also runs calls that cannot exist as a transaction: with both blobs and authorizations, or before the fork that
 * added them. Throws `unprovable` for them.
 */
function checkType({ authorizationList, blobVersionedHashes }: CallRequest, common: Common): void {
  if (authorizationList === undefined && blobVersionedHashes === undefined) return
  const isOfOneType =
    authorizationList === undefined
      ? common.isActivatedEIP(4844)
      : blobVersionedHashes === undefined && common.isActivatedEIP(7702)
  if (isOfOneType) return
  throw new Fault('unprovable', {
    detail: 'the call has members of another type of transaction',
  })
}

/**
 * The fields of a header must be those of the fork in the rules. Throws `unprovable` for a header of an unsupported fork, or if
 * the call overrides the block time (`time`, seconds) with a time after such a fork.
 */
function checkForkOf(header: Header, rules: ChainRules, time = header.timestamp): void {
  const common = rules.at(header)
  const until = rules.supportedUntil
  const isUnsupported = until !== null && (header.timestamp >= until || time >= until)
  const fields: readonly (readonly [eip: number, isThere: boolean])[] = [
    [1559, header.baseFeePerGas !== undefined],
    [4895, header.withdrawalsRoot !== undefined],
    [4844, header.excessBlobGas !== undefined],
    [7685, header.requestsHash !== undefined],
    [7928, header.blockAccessListHash !== undefined],
  ]
  // Blocks before London are not supported: their rules were never compared with a node.
  const isKnown =
    !isUnsupported &&
    header.baseFeePerGas !== undefined &&
    header.unknownFields === undefined &&
    header.slotNumber === undefined &&
    fields.every(([eip, isPresent]) => common.isActivatedEIP(eip) === isPresent)
  if (!isKnown) throw unknownFork(header.number)
}

function unknownFork(number: bigint): Fault {
  const detail = `block ${number} is of a fork that Cairn does not know`
  return new Fault('unprovable', { detail })
}
