// Runs calls of an embedded chain without its thread, one read-only execution at a time on the given store.
import { systemClock } from '../../src/base/clock.ts'
import type { LocalStore } from '../../src/content/block-store.ts'
import { type CallRequest, noOverrides } from '../../src/chain/computation.ts'
import type { AccessListReport, Overrides } from '../../src/chain/computation.ts'
import type { ChainIndex } from '../../src/devchain/chain-index.ts'
import type { Genesis } from '../../src/evm/genesis.ts'
import { createCalls } from '../../src/devchain/engine/read-only-executions.ts'
import type { ReadOnlyExecution } from '../../src/devchain/engine/read-only-executions.ts'
import {
  defaultTimeSliceLimits,
  type TimeSliceLimits,
  TimeSlices,
} from '../../src/evm/time-slice.ts'

/** Time limits of minutes, so that results do not depend on the load of the machine. */
const patientLimits = { ...defaultTimeSliceLimits, runMs: 300_000, spanMs: 300_000 }

/** `limits`: for tests of time limits. */
export function createChainCalls(
  chain: { readonly genesis: Genesis; readonly store: LocalStore; readonly index: ChainIndex },
  limits: TimeSliceLimits = patientLimits,
) {
  const calculate = createCalls({ ...chain, callGasMax: 50_000_000n })
  const slices = new TimeSlices(systemClock, limits)
  const { signal } = new AbortController()
  const run = (task: ReadOnlyExecution) => slices.run((slice) => calculate(task, slice), signal)
  type CallArguments = [request: CallRequest, blockHash: Uint8Array, overrides?: Partial<Overrides>]
  const task = ([request, blockHash, overrides]: CallArguments) => ({
    request,
    blockHash,
    overrides: { ...noOverrides, ...overrides },
  })
  return {
    run,
    call: async (...args: CallArguments) =>
      (await run({ kind: 'call', ...task(args) })) as Uint8Array,
    estimateGas: async (...args: CallArguments) =>
      (await run({ kind: 'estimate', ...task(args) })) as bigint,
    createAccessList: async (...args: CallArguments) =>
      (await run({ kind: 'access-list', ...task(args) })) as AccessListReport,
  }
}
