// The executions of a call thread. Each one has a temporary state of its own, so several can be in progress at once and take
// turns.
import type { LocalStore } from '../../content/block-store.ts'
import type {
  AccessListReport,
  BlockSimulation,
  SimulatedBlock,
  StorageRange,
  TracerChoice,
  TransactionTrace,
} from '../../chain/computation.ts'
import type { ChainIndex } from '../chain-index.ts'
import type { Genesis } from '../../evm/genesis.ts'
import { call } from '../../evm/call.ts'
import type { CallTask } from '../../evm/prepared-call.ts'
import { createCrypto } from '../../evm/chain-crypto.ts'
import { createRules } from '../../evm/chain-rules.ts'
import { createAccessList } from '../../evm/create-access-list.ts'
import { estimateGas } from '../../evm/estimate-gas.ts'
import { simulate } from '../../evm/simulate/simulate.ts'
import {
  hashAt,
  headerOf,
  openState,
  type StoredFork,
  type StoredParts,
  storedParts,
} from './open-state.ts'
import { readStorageRange } from './storage-range.ts'
import type { StorageRangeTask } from './storage-range.ts'
import { traceBlock } from './trace-block.ts'
import type { TraceBlockTask } from './trace-block.ts'
import { traceCall } from '../../evm/trace-call.ts'
import type { TimeSlice } from '../../evm/time-slice.ts'

type SimulateTask = {
  readonly blockHash: Uint8Array
  readonly simulation: BlockSimulation
}

export type ReadOnlyExecution =
  | ({ readonly kind: 'call' | 'estimate' | 'access-list' } & CallTask)
  | ({ readonly kind: 'simulate' } & SimulateTask)
  | ({ readonly kind: 'trace-call'; readonly tracer: TracerChoice } & CallTask)
  | ({ readonly kind: 'trace-block' } & TraceBlockTask)
  | ({ readonly kind: 'storage-range' } & StorageRangeTask)

export type ReadOnlyResults = {
  readonly call: Uint8Array
  readonly estimate: bigint
  readonly 'access-list': AccessListReport
  readonly simulate: readonly SimulatedBlock[]
  readonly 'trace-call': unknown
  readonly 'trace-block': readonly TransactionTrace[]
  readonly 'storage-range': StorageRange | null
}

export type ReadOnlyResult = ReadOnlyResults[ReadOnlyExecution['kind']]

/** Errors as in evm-executor.ts, Executor. */
export function createCalls(options: {
  readonly genesis: Genesis
  readonly store: LocalStore
  readonly index: ChainIndex
  readonly callGasMax: bigint
}): (
  task: ReadOnlyExecution,
  slice: TimeSlice,
  fork?: StoredFork | null,
) => Promise<ReadOnlyResult> {
  const { genesis, store, index, callGasMax } = options
  const rules = createRules(genesis, createCrypto())
  return async (task, slice, fork = null) => {
    const parts = storedParts({ rules, store, index, callGasMax, fork })
    switch (task.kind) {
      case 'call':
        return call(parts, task, slice)
      case 'estimate':
        return estimateGas(parts, task, slice)
      case 'access-list':
        return createAccessList(parts, task, slice)
      case 'simulate':
        return simulateStored(parts, task, slice)
      case 'trace-call':
        return traceCall(parts, task, slice)
      case 'trace-block':
        return traceBlock(parts, task, slice)
      case 'storage-range':
        return readStorageRange(parts, task, slice)
    }
  }
}

/** Simulates on a block of the embedded chain. Throws as `EvmExecutor.simulate`. */
async function simulateStored(
  parts: StoredParts,
  { blockHash, simulation }: SimulateTask,
  slice: TimeSlice,
): Promise<readonly SimulatedBlock[]> {
  const { rules, callGasMax, index, fork } = parts
  const header = headerOf(parts, blockHash)
  const { state } = await openState(parts, { common: rules.at(header), header, slice })
  const hashOf = (number: bigint) => hashAt(index, fork, number)
  const base = { rules, callGasMax, header, hash: blockHash, state, hashOf }
  return await simulate(base, simulation, slice)
}
