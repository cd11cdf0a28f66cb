// The default tracer: every instruction with its gas, stack, memory and storage (go-ethereum's legacy form
// of eth/tracers/logger).
// Tested by src/devchain/engine/trace.test.ts
import { fromHex, toBareHex, toHex, toQuantity } from '../../base/hex.ts'
import type { StructOptions } from '../../chain/computation.ts'
import type { StateVm } from '../vm-over-state.ts'
import { opcodeName } from '../opcode-table.ts'
import { opcodes, watchSteps } from '../watch-opcodes.ts'
import type { Frame, Step } from '../watch-opcodes.ts'
import { eventsOf } from './tracer.ts'
import type { TraceBudget, Tracer } from './tracer.ts'

type StructLog = {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly error?: string
  readonly stack?: readonly string[]
  readonly returnData?: string
  readonly memory?: readonly string[]
  storage?: Readonly<Record<string, string>>
  readonly refund?: number
}

/** Approximate size of a log in JSON, without its lists. */
const logBytes = 90
const wordBytes = 68

export function createStructLogger(
  options: StructOptions,
  machine: StateVm,
  budget: TraceBudget,
): Tracer {
  let logs: StructLog[] = []
  let active = false
  /** Accessed slots by contract. */
  let seen = new Map<string, Map<string, string>>()
  /** Length of the JSON in characters, counted only for `limit`. */
  let length = 0

  watchSteps(machine.vm, async (step) => {
    const log = record(step)
    if (log !== null && !options.disableStorage) await recordStorage(step, log)
    if (log !== null && options.limit > 0) length += JSON.stringify(log).length
  })
  // The EVM has an implicit STOP after the end of the code, which the library does not run.
  eventsOf(machine).on('afterMessage', ({ execResult }) => {
    const { exceptionError, runState, gasRefund = 0n } = execResult
    if (exceptionError !== undefined || runState === undefined || !reachedEnd(runState)) return
    const memoryBytes = Number(runState.memoryWordCount) * 32
    // `runState` has the refund from the start of the frame.
    const frame = { ...runState, gasRefund }
    record({ opcode: opcodes.stop, frame, cost: 0n, memoryBytes, error: null })
  })

  function record(step: Step): StructLog | null {
    if (!active || (options.limit > 0 && length > options.limit)) return null
    const log = logOf(step, options)
    const words = (log.stack?.length ?? 0) + (log.memory?.length ?? 0)
    budget.add(logBytes + words * wordBytes + (log.returnData?.length ?? 0), 1)
    logs.push(log)
    return log
  }

  async function recordStorage({ opcode, frame }: Step, log: StructLog): Promise<void> {
    if (opcode !== opcodes.sload && opcode !== opcodes.sstore) return
    const needed = opcode === opcodes.sload ? 1 : 2
    if (frame.stack.length < needed) return
    const [slot = 0n, value = 0n] = frame.stack.peek(needed)
    const { address } = frame.env
    const slots = seen.get(address.toString()) ?? new Map<string, string>()
    seen.set(address.toString(), slots)
    const key = hexOf(slot)
    const loaded =
      opcode === opcodes.sload ? await machine.state.getStorage(address, wordOf(slot)) : null
    slots.set(key, loaded === null ? hexOf(value) : `0x${toBareHex(loaded).padStart(64, '0')}`)
    budget.add(slots.size * 2 * wordBytes)
    log.storage = Object.fromEntries(slots)
  }

  return {
    begin() {
      logs = []
      length = 0
      seen = new Map()
      active = true
    },
    end({ execResult, totalGasSpent }) {
      active = false
      return {
        gas: Number(totalGasSpent),
        failed: execResult.exceptionError !== undefined,
        returnValue: toHex(execResult.returnValue),
        structLogs: logs,
      }
    },
  }
}

function logOf(step: Step, options: StructOptions): StructLog {
  const { opcode, frame, cost, memoryBytes, error } = step
  const { disableStack, enableMemory, enableReturnData } = options
  return {
    pc: frame.programCounter,
    op: opcodeName(opcode),
    gas: Number(frame.gasLeft),
    gasCost: Number(cost),
    depth: frame.env.depth + 1,
    ...(error === null ? {} : { error }),
    ...(disableStack ? {} : { stack: frame.stack.getStack().map(toQuantity) }),
    ...(enableReturnData && frame.returnBytes.length > 0
      ? { returnData: toHex(frame.returnBytes) }
      : {}),
    ...(enableMemory && memoryBytes > 0 ? { memory: wordsOf(frame, memoryBytes) } : {}),
    ...(frame.gasRefund === 0n ? {} : { refund: Number(frame.gasRefund) }),
  }
}

function wordsOf({ memory }: Frame, bytes: number): string[] {
  const hex = toBareHex(memory._store.subarray(0, bytes)).padEnd(bytes * 2, '0')
  return Array.from({ length: bytes / 32 }, (_, at) => `0x${hex.slice(at * 64, at * 64 + 64)}`)
}

function wordOf(value: bigint): Uint8Array {
  return fromHex(hexOf(value))
}

function hexOf(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** True if the frame reached the end of its code without an instruction that ends it. */
function reachedEnd({ code, opCode }: Frame): boolean {
  return code.length > 0 && !endingOpcodes.includes(opCode)
}

const endingOpcodes: readonly number[] = [opcodes.stop, opcodes.return, opcodes.selfDestruct]
