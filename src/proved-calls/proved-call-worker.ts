// Entry of the proved-call thread. It has no network and no database: it requests missing values from the request thread, which
// returns only proved ones.
// Tested by test/calls/proved-calls.test.ts
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { setNewest } from '../base/lru-cache.ts'
import type { AccessListEntry } from '../chain/computation.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { unpackFailure } from '../evm/threads/packed-failure.ts'
import { serveTasks, type TaskContext } from '../evm/threads/serve-tasks.ts'
import { createCrypto } from '../evm/chain-crypto.ts'
import { type ChainRules, createRulesOf } from '../evm/chain-rules.ts'
import { TimeSlices } from '../evm/time-slice.ts'
import { type CarriedCall, findCarriedCalls, splitReads } from './carried-calls.ts'
import { createLearnedSets, type LearnedCall } from './learned-sets.ts'
import { executeProved, type ProvedExecution } from './proved-execution.ts'
import { limitReads, type ProvedState } from './proved-state.ts'
import type {
  ValueReply,
  ValueRequest,
  ProvedTask,
  ProvedThreadData,
  MissingValue,
} from './proved-task.ts'
import { createValueCache, type ValueCache } from './value-cache.ts'

/** Fork schedules in memory: one for each network, and for each change of its settings. */
const schedulesMax = 64
const noBytes = new Uint8Array(0)

function serve({ limits, reads }: ProvedThreadData, parent: MessagePort): void {
  const values = createValueCache()
  const learnedSets = createLearnedSets()
  const schedules = new Map<string, ChainRules>()
  const crypto = createCrypto()
  const watchedCrypto = {
    ...crypto,
    keccak256(input: Uint8Array) {
      const hash = keccak256(input)
      learnedSets.noteHash(input, hash)
      return hash
    },
  }

  function rulesOf(config: string): ChainRules {
    const cached = schedules.get(config)
    if (cached !== undefined) return cached
    const rules = createRulesOf(JSON.parse(config), watchedCrypto)
    setNewest(schedules, config, rules, schedulesMax)
    return rules
  }

  async function run({ config, callGasMax, execution, ...task }: ProvedTask, context: TaskContext) {
    const header = decodeHeader(task.header)
    const { stateRoot, miner } = header
    const cache = task.isRecorded ? createValueCache() : values
    const call = task.isRecorded ? null : learnable(execution, { ...task, coinbase: miner })
    const carried =
      call === null ? [] : findCarriedCalls(call.request.data ?? noBytes, call.request.to)
    const requested = { any: false }
    const request = async (missing: MissingValue) => {
      const isFirst = !requested.any
      requested.any = true
      const predicted =
        isFirst && call !== null
          ? learnedSets.predict([call, ...carried.map((one) => toLearnedCall(call, one))])
          : null
      const expected = predicted === null ? null : withoutCached(predicted, stateRoot, cache)
      return (await context.slice.wait(
        context.requestValue({ missing, expected } satisfies ValueRequest),
      )) as ValueReply
    }
    const limited = limitReads(requestingState(stateRoot, cache, request), reads)
    const split = carried.length === 0 ? null : splitReads(limited, carried)
    try {
      return await executeProved(execution, {
        header,
        rules: rulesOf(config),
        callGasMax,
        state: split?.state ?? limited,
        slice: context.slice,
        frames: split,
      })
    } finally {
      if (requested.any && call !== null) {
        learnedSets.learn(call, split?.ownReads() ?? limited.reads)
        for (const one of split?.carried() ?? []) {
          learnedSets.learn(toLearnedCall(call, one.call), one.reads)
        }
      }
    }
  }

  serveTasks<ProvedTask>({
    parent,
    slices: new TimeSlices(systemClock, limits),
    work: run,
    end: () => {},
  })
}

/** The carried call as if it were sent alone. */
function toLearnedCall(carrier: LearnedCall, { to, data, isDelegate }: CarriedCall): LearnedCall {
  const from = isDelegate ? carrier.request.from : carrier.request.to
  return { ...carrier, request: { to, data, ...(from === undefined ? {} : { from }) } }
}

/** Null for executions that predict nothing about later calls: those with state overrides, and simulations. */
function learnable(
  execution: ProvedExecution,
  { network, accountId, coinbase }: Omit<LearnedCall, 'request'>,
): LearnedCall | null {
  if (execution.kind === 'simulate' || execution.overrides.state.length > 0) return null
  return { network, accountId, request: execution.request, coinbase }
}

/** Removes the values that `cache` has. */
function withoutCached(
  predicted: readonly AccessListEntry[],
  stateRoot: Uint8Array,
  cache: ValueCache,
): readonly AccessListEntry[] {
  return predicted.flatMap(({ address, storageKeys }) => {
    const account = cache.account(stateRoot, address)
    if (account === undefined) return [{ address, storageKeys }]
    if (account === null) return []
    const { storageRoot } = account
    const uncachedKeys = storageKeys.filter((key) => cache.slot(storageRoot, key) === undefined)
    return uncachedKeys.length === 0 ? [] : [{ address, storageKeys: uncachedKeys }]
  })
}

/** Reads from `cache`, and requests values that it lacks from the request thread. */
function requestingState(
  stateRoot: Uint8Array,
  cache: ValueCache,
  requestValue: (missing: MissingValue) => Promise<ValueReply>,
): ProvedState {
  const hashes = new Map<bigint, Uint8Array>()
  let nodes: readonly Uint8Array[] | undefined

  async function request<T>(missing: MissingValue, find: () => T | undefined): Promise<T> {
    const { values, failure } = await requestValue(missing)
    for (const one of values) {
      if (one.kind === 'hash') hashes.set(one.number, one.hash)
      else if (one.kind === 'nodes') nodes = one.nodes
      else cache.add(one)
    }
    if (failure !== null) throw unpackFailure(failure)
    const value = find()
    if (value === undefined) throw new Error(`the request thread did not give the ${missing.kind}`)
    return value
  }

  return {
    account(address) {
      const find = () => cache.account(stateRoot, address)
      const cached = find()
      return cached === undefined ? request({ kind: 'account', address }, find) : cached
    },
    slot(address, storageRoot, position) {
      const find = () => cache.slot(storageRoot, position)
      return find() ?? request({ kind: 'slot', address, storageRoot, position }, find)
    },
    code(address, codeHash) {
      const find = () => cache.code(codeHash)
      return find() ?? request({ kind: 'code', address, codeHash }, find)
    },
    hashOf(number) {
      const find = () => hashes.get(number)
      return find() ?? request({ kind: 'hash', number }, find)
    },
    nodes(paths) {
      nodes = undefined
      return request({ kind: 'nodes', paths }, () => nodes)
    },
  }
}

if (parentPort !== null) serve(workerData as ProvedThreadData, parentPort)
