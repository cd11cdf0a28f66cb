// One call on proved state: what is asked, and how it is computed. The thread of proved calls and the verifier of proof
// bundles both use it.
// Tested by test/calls/proved-calls.test.ts
import type {
  AccessListReport,
  CallRequest,
  Overrides,
  TracerChoice,
} from '../../chain/computation.ts'
import { Fault } from '../../base/fault.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { overrideHeader } from '../vm/apply-overrides.ts'
import { call } from '../vm/call.ts'
import { createVmOver } from '../vm/vm-over-state.ts'
import type { ChainRules } from '../vm/chain-rules.ts'
import { createAccessList } from '../vm/create-access-list.ts'
import { estimateGas } from '../vm/estimate-gas.ts'
import type { CallParts } from '../vm/open-state.ts'
import type { TimeSlice } from '../vm/time-slice.ts'
import { eventsOf } from '../vm/trace/tracer.ts'
import { traceCall } from '../vm/trace-call.ts'
import type { SplitReads } from './carried-calls.ts'
import { CallState } from './call-state.ts'
import type { ProvedState } from './proved-state.ts'

type Asked = { readonly request: CallRequest; readonly overrides: Overrides }

export type ProvedExecution = Asked &
  (
    | { readonly kind: 'call' | 'estimate' | 'access-list' }
    | { readonly kind: 'trace-call'; readonly tracer: TracerChoice }
  )

export type ProvedResults = {
  readonly call: Uint8Array
  readonly estimate: bigint
  readonly 'access-list': AccessListReport
  readonly 'trace-call': unknown
}

/** `header`: of the block whose state the call runs on. Throws as `EvmExecutor`, and what `state` throws. */
export async function executeProved(
  asked: ProvedExecution,
  on: {
    readonly header: Header
    readonly rules: ChainRules
    readonly callGasMax: bigint
    readonly state: ProvedState
    readonly turn: TimeSlice
    /** Gets the messages of the run; absent: none does. */
    readonly frames?: Pick<SplitReads, 'begin' | 'end'> | null
  },
): Promise<ProvedResults[ProvedExecution['kind']]> {
  const { header, rules, callGasMax, state, turn, frames = null } = on
  checkForkOf(header, rules, asked.overrides.block.time)
  checkType(asked, header, rules)
  const parts: CallParts = {
    rules,
    callGasMax,
    states: {
      headerOf: () => header,
      async open({ common, precompiles, turn: own }) {
        const machine = await createVmOver(new CallState(state), {
          common,
          precompiles,
          // A block that the call only pretends to be in asks for hashes that no block has: zeros, as go-ethereum.
          index: {
            hashOf: (number) =>
              number < header.number ? state.hashOf(number) : new Uint8Array(32),
          },
          turn: own,
        })
        if (frames !== null) {
          eventsOf(machine).on('beforeMessage', (message) => frames.begin(message))
          eventsOf(machine).on('afterMessage', () => frames.end())
        }
        return machine
      },
    },
  }
  const { request, overrides } = asked
  const task = { request, overrides, blockHash: new Uint8Array(32) }
  switch (asked.kind) {
    case 'call':
      return await call(parts, task, turn)
    case 'estimate':
      return await estimateGas(parts, task, turn)
    case 'access-list':
      return await createAccessList(parts, task, turn)
    case 'trace-call':
      return await traceCall(parts, { ...task, tracer: asked.tracer }, turn)
  }
}

/**
 * go-ethereum runs calls that no transaction can stand for: with blobs and authorizations, or before the fork of either.
 * Throws `unprovable` for them.
 */
function checkType({ request, overrides }: Asked, header: Header, rules: ChainRules): void {
  const { authorizationList, blobVersionedHashes } = request
  if (authorizationList === undefined && blobVersionedHashes === undefined) return
  const common = rules.at(overrideHeader(header, overrides.block))
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
 * A header shows some forks: its fields must be those of the fork that the rules name. Throws `unprovable` for the header of
 * a fork that the rules do not know, or if the call pretends to be in one (`time`, seconds).
 */
function checkForkOf(header: Header, rules: ChainRules, time = header.timestamp): void {
  const common = rules.at(header)
  const until = rules.knownUntil
  const isPast = until !== null && (header.timestamp >= until || time >= until)
  const fields: readonly (readonly [eip: number, isThere: boolean])[] = [
    [1559, header.baseFeePerGas !== undefined],
    [4895, header.withdrawalsRoot !== undefined],
    [4844, header.excessBlobGas !== undefined],
    [7685, header.requestsHash !== undefined],
    [7928, header.blockAccessListHash !== undefined],
  ]
  // Before London the rules have never been compared with a node's.
  const isKnown =
    !isPast &&
    header.baseFeePerGas !== undefined &&
    header.unknownFields === undefined &&
    header.slotNumber === undefined &&
    fields.every(([eip, isThere]) => common.isActivatedEIP(eip) === isThere)
  if (isKnown) return
  throw new Fault('unprovable', {
    detail: `block ${header.number} is of a fork that Cairn does not know`,
  })
}
