// Entry of the thread of proved calls: it has no network and no database. It asks the request thread for the values that a
// call lacks, and gets proved ones only.
// Tested by test/calls/proved-calls.test.ts
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { unpackFailure } from '../packed-failure.ts'
import { serveTasks, type TaskContext } from '../serve-tasks.ts'
import { createCrypto } from '../vm/chain-crypto.ts'
import { type ChainRules, createRulesOf } from '../vm/chain-rules.ts'
import { TimeSlices } from '../vm/time-slice.ts'
import { executeProved } from './proved-execution.ts'
import { limitReads, type ProvedState } from './proved-state.ts'
import type { Given, ProvedTask, ProvedThreadData, Want } from './proved-task.ts'
import { createValueCache, type ValueCache } from './value-cache.ts'

/** Fork schedules in memory: one for each network, and for each change of its settings. */
const schedulesMax = 64

function serve({ limits, reads }: ProvedThreadData, parent: MessagePort): void {
  const values = createValueCache()
  const schedules = new Map<string, ChainRules>()
  const crypto = createCrypto()

  function rulesOf(config: string): ChainRules {
    const known = schedules.get(config)
    if (known !== undefined) return known
    const rules = createRulesOf(JSON.parse(config), crypto)
    setNewest(schedules, config, rules, schedulesMax)
    return rules
  }

  serveTasks<ProvedTask>({
    parent,
    turns: new TimeSlices(systemClock, limits),
    async work({ asked, header, config, callGasMax, isRecorded }, context) {
      const { stateRoot } = decodeHeader(header)
      const state = askingState(stateRoot, isRecorded ? createValueCache() : values, context)
      return await executeProved(asked, {
        header,
        rules: rulesOf(config),
        callGasMax,
        state: limitReads(state, reads),
        turn: context.turn,
      })
    },
    end: () => {},
  })
}

/** Values of `cache`; what it lacks comes from the request thread. */
function askingState(stateRoot: Uint8Array, cache: ValueCache, context: TaskContext): ProvedState {
  const hashes = new Map<bigint, Uint8Array>()

  async function need<T>(want: Want, find: () => T | undefined): Promise<T> {
    const { found, failure } = (await context.turn.wait(context.need(want))) as Given
    for (const one of found) {
      if (one.kind === 'hash') hashes.set(one.number, one.hash)
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
  }
}

if (parentPort !== null) serve(workerData as ProvedThreadData, parentPort)
