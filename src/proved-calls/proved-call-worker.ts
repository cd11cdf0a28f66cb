// Entry of the thread of proved calls: it has no network and no database. It asks the request thread for the values that a
// call lacks, and gets proved ones only.
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
import type { Given, Need, ProvedTask, ProvedThreadData, Want } from './proved-task.ts'
import { createValueCache, type ValueCache } from './value-cache.ts'

/** Fork schedules in memory: one for each network, and for each change of its settings. */
const schedulesMax = 64
const noBytes = new Uint8Array(0)

function serve({ limits, reads }: ProvedThreadData, parent: MessagePort): void {
  const values = createValueCache()
  const learned = createLearnedSets()
  const schedules = new Map<string, ChainRules>()
  const crypto = createCrypto()
  const watchedCrypto = {
    ...crypto,
    keccak256(input: Uint8Array) {
      const hash = keccak256(input)
      learned.noteHash(input, hash)
      return hash
    },
  }

  function rulesOf(config: string): ChainRules {
    const known = schedules.get(config)
    if (known !== undefined) return known
    const rules = createRulesOf(JSON.parse(config), watchedCrypto)
    setNewest(schedules, config, rules, schedulesMax)
    return rules
  }

  async function run({ config, callGasMax, asked, ...task }: ProvedTask, context: TaskContext) {
    const header = decodeHeader(task.header)
    const { stateRoot, miner } = header
    const cache = task.isRecorded ? createValueCache() : values
    const call = task.isRecorded ? null : learnable(asked, { ...task, coinbase: miner })
    const carried = call === null ? [] : findCarriedCalls(call.request.data ?? noBytes)
    const carriedBy = (by: LearnedCall, { to, data }: CarriedCall): LearnedCall => ({
      ...by,
      request: { to, data, ...(by.request.to === undefined ? {} : { from: by.request.to }) },
    })
    const needed = { any: false }
    const need = async (want: Want) => {
      const isFirst = !needed.any
      needed.any = true
      const predicted =
        isFirst && call !== null
          ? learned.predict([call, ...carried.map((one) => carriedBy(call, one))])
          : null
      const expected = predicted === null ? null : missing(predicted, stateRoot, cache)
      return (await context.turn.wait(context.need({ want, expected } satisfies Need))) as Given
    }
    const limited = limitReads(askingState(stateRoot, cache, need), reads)
    const split = carried.length === 0 ? null : splitReads(limited, carried)
    try {
      return await executeProved(asked, {
        header,
        rules: rulesOf(config),
        callGasMax,
        state: split?.state ?? limited,
        turn: context.turn,
        frames: split,
      })
    } finally {
      if (needed.any && call !== null) {
        learned.learn(call, split?.own() ?? limited.reads)
        for (const one of split?.carried() ?? []) {
          learned.learn(carriedBy(call, one.call), one.reads)
        }
      }
    }
  }

  serveTasks<ProvedTask>({
    parent,
    turns: new TimeSlices(systemClock, limits),
    work: run,
    end: () => {},
  })
}

/** Null: it tells nothing of other calls. Code that a client brings is not the contract's, and a simulation is many calls. */
function learnable(
  asked: ProvedExecution,
  { network, accountId, coinbase }: Omit<LearnedCall, 'request'>,
): LearnedCall | null {
  if (asked.kind === 'simulate' || asked.overrides.state.length > 0) return null
  return { network, accountId, request: asked.request, coinbase }
}

/** Without what `cache` has. */
function missing(
  predicted: readonly AccessListEntry[],
  stateRoot: Uint8Array,
  cache: ValueCache,
): readonly AccessListEntry[] {
  return predicted.flatMap(({ address, storageKeys }) => {
    const account = cache.account(stateRoot, address)
    if (account === undefined) return [{ address, storageKeys }]
    if (account === null) return []
    const { storageRoot } = account
    const lacked = storageKeys.filter((key) => cache.slot(storageRoot, key) === undefined)
    return lacked.length === 0 ? [] : [{ address, storageKeys: lacked }]
  })
}

/** Values of `cache`; what it lacks comes from the request thread. */
function askingState(
  stateRoot: Uint8Array,
  cache: ValueCache,
  ask: (want: Want) => Promise<Given>,
): ProvedState {
  const hashes = new Map<bigint, Uint8Array>()
  let nodes: readonly Uint8Array[] | undefined

  async function need<T>(want: Want, find: () => T | undefined): Promise<T> {
    const { found, failure } = await ask(want)
    for (const one of found) {
      if (one.kind === 'hash') hashes.set(one.number, one.hash)
      else if (one.kind === 'nodes') nodes = one.nodes
      else cache.add(one)
    }
    if (failure !== null) throw unpackFailure(failure)
    const value = find()
    if (value === undefined) throw new Error(`the request thread did not give the ${want.kind}`)
    return value
  }

  return {
    account(address) {
      const find = () => cache.account(stateRoot, address)
      const known = find()
      return known === undefined ? need({ kind: 'account', address }, find) : known
    },
    slot(address, storageRoot, position) {
      const find = () => cache.slot(storageRoot, position)
      return find() ?? need({ kind: 'slot', address, storageRoot, position }, find)
    },
    code(address, codeHash) {
      const find = () => cache.code(codeHash)
      return find() ?? need({ kind: 'code', address, codeHash }, find)
    },
    hashOf(number) {
      const find = () => hashes.get(number)
      return find() ?? need({ kind: 'hash', number }, find)
    },
    nodes(paths) {
      nodes = undefined
      return need({ kind: 'nodes', paths }, () => nodes)
    },
  }
}

if (parentPort !== null) serve(workerData as ProvedThreadData, parentPort)
