// The default tracer: every instruction with its gas, stack, memory and storage (go-ethereum's legacy form
// of eth/tracers/logger: bare hex in memory and storage).
// Tested by src/ethereum/embedded/vm/trace.test.ts
import { toBareHex, toHex, toQuantity } from '../../../../base/hex.ts'
import type { StructOptions } from '../../../computation.ts'
import type { StateVm } from '../chain-vm.ts'
import { evmFault } from '../evm-failure.ts'
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
  error?: string
  readonly stack?: readonly string[]
  readonly returnData?: string
  readonly memory?: readonly string[]
  storage?: Readonly<Record<string, string>>
  readonly refund?: number
}

/** Roughly what a log takes in JSON beside its lists. */
const logBytes = 90
const wordBytes = 68

export function createStructLogger(
  options: StructOptions,
  machine: StateVm,
  budget: TraceBudget,
): Tracer {
  let logs: StructLog[] = []
  let active = false
  /** The last log of each open frame, the outermost first. */
  let last: (StructLog | null)[] = []
  /** Slots seen so far, by contract. */
  let seen = new Map<string, Map<string, string>>()
  const full = () => options.limit > 0 && logs.length >= options.limit

  watchSteps(machine.vm, async (step) => {
    if (!active || full()) return
    const log = logOf(step, options)
    const words = (log.stack?.length ?? 0) + (log.memory?.length ?? 0)
    budget.add(logBytes + words * wordBytes + (log.returnData?.length ?? 0), 1)
    logs.push(log)
    last[step.frame.env.depth] = log
    if (!options.disableStorage) await recordStorage(step, log)
  })

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
    slots.set(key, loaded === null ? hexOf(value) : toBareHex(loaded).padStart(64, '0'))
    budget.add(slots.size * 2 * wordBytes)
    log.storage = Object.fromEntries(slots)
  }

  const events = eventsOf(machine)
  events.on('afterMessage', ({ execResult }) => {
    if (!active) return
    const log = last.pop()
    const { exceptionError, returnValue, runState } = execResult
    if (log === undefined || log === null || exceptionError === undefined) return
    if (exceptionError.error !== 'revert') {
      log.error = evmFault(exceptionError.error, returnValue, runState?.opCode).message
    }
  })
  events.on('beforeMessage', () => {
    if (active) last.push(null)
  })

  return {
    begin() {
      logs = []
      last = []
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

function logOf({ name, frame, cost, memoryBytes }: Step, options: StructOptions): StructLog {
  const { disableStack, enableMemory, enableReturnData } = options
  return {
    pc: frame.programCounter,
    op: name,
    gas: Number(frame.gasLeft),
    gasCost: Number(cost),
    depth: frame.env.depth + 1,
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
  return Array.from({ length: bytes / 32 }, (_, at) => hex.slice(at * 64, at * 64 + 64))
}

function wordOf(value: bigint): Uint8Array {
  return Buffer.from(hexOf(value), 'hex')
}

function hexOf(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
