// `callTracer`: the tree of calls of a transaction (go-ethereum eth/tracers/native/call.go).
// Tested by src/devchain/engine/trace.test.ts
import { toHex, toQuantity } from '../../base/hex.ts'
import type { CallTracerOptions } from '../../chain/computation.ts'
import type { StateVm } from '../vm-over-state.ts'
import { evmFault, revertReason } from '../evm-failure.ts'
import { frameTypes, opcodes, readMemory, watchCharged } from '../watch-opcodes.ts'
import { unopenedFrame } from './unopened-frame.ts'
import type { Frame } from '../watch-opcodes.ts'
import type { CallFrame, CallLog } from './call-frame.ts'
import { eventsOf } from './tracer.ts'
import type { TraceBudget, Tracer } from './tracer.ts'

const frameBytes = 300

export function createCallTracer(
  { onlyTopCall, withLog }: CallTracerOptions,
  machine: StateVm,
  budget: TraceBudget,
): Tracer {
  let active = false
  let top: CallFrame | null = null
  /** Open frames with the number of logs at their start; null for frames that are not in the result. */
  let open: { readonly frame: CallFrame | null; readonly logs: number }[] = []
  let opcode = 0
  /** Number of frames so far. */
  let frameCount = 0
  let logIndex = 0
  const events = eventsOf(machine)

  watchCharged(machine.vm, Object.keys(frameTypes).map(Number), (code, frame) => {
    opcode = code
    if (!active || onlyTopCall) return
    if (code === opcodes.selfDestruct) return addSelfDestruct(frame)
    const countBefore = frameCount
    const unopened = unopenedFrame(code, frame)
    return () => {
      const parent = open.at(-1)?.frame
      if (frameCount !== countBefore || parent === undefined || parent === null) return
      const shown = unopened()
      addCall(parent, shown)
      budget.add(frameBytes + shown.input.length)
    }
  })
  if (withLog) {
    watchCharged(machine.vm, [0xa0, 0xa1, 0xa2, 0xa3, 0xa4], (code, frame) => {
      if (active) addLog(code - 0xa0, frame)
    })
  }

  events.on('beforeMessage', (message) => {
    frameCount += 1
    if (!active) return
    const { depth, caller, to, data, gasLimit, value } = message
    const isTop = depth === 0
    const shown = isTop || !onlyTopCall
    const creates = to === undefined ? (message.salt === undefined ? 'CREATE' : 'CREATE2') : null
    const type = creates ?? (isTop ? 'CALL' : (frameTypes[opcode] ?? 'CALL'))
    const target = type === 'DELEGATECALL' || type === 'CALLCODE' ? message.codeAddress : to
    const from = type === 'DELEGATECALL' ? to : caller
    const frame: CallFrame = {
      from: (from ?? caller).toString(),
      gas: toQuantity(gasLimit),
      gasUsed: '0x0',
      ...(target === undefined ? {} : { to: target.toString() }),
      input: toHex(data),
      ...(type === 'STATICCALL' ? {} : { value: toQuantity(value) }),
      type,
    }
    const parent = open.at(-1)?.frame ?? null
    open.push({ frame: shown ? frame : null, logs: logIndex })
    if (isTop) top = frame
    else if (shown && parent !== null) addCall(parent, frame)
    if (shown) budget.add(frameBytes + frame.input.length)
  })

  events.on('afterMessage', ({ execResult, createdAddress }) => {
    const closing = active ? open.pop() : undefined
    if (closing === undefined) return
    const { exceptionError, returnValue, executionGasUsed, runState } = execResult
    if (exceptionError !== undefined) logIndex = closing.logs
    const { frame } = closing
    if (frame === null) return
    frame.gasUsed = toQuantity(executionGasUsed)
    const creates = frame.type.startsWith('CREATE')
    if (exceptionError === undefined) {
      if (creates && createdAddress !== undefined) frame.to = createdAddress.toString()
      if (returnValue.length > 0) frame.output = toHex(returnValue)
    } else {
      clearLogs(frame)
      if (creates) delete frame.to
      const fault = evmFault(exceptionError.error, returnValue, runState)
      const reverted = fault.code === 'reverted'
      frame.error = reverted ? 'execution reverted' : fault.message
      if (reverted && returnValue.length > 0) {
        frame.output = toHex(returnValue)
        const reason = revertReason(returnValue)
        if (reason !== null) frame.revertReason = reason
      }
    }
    budget.add((frame.output?.length ?? 0) + 60)
  })

  async function addSelfDestruct({ env, stack }: Frame): Promise<void> {
    const parent = open.at(-1)?.frame
    if (parent === undefined || parent === null || stack.length < 1) return
    const [word = 0n] = stack.peek(1)
    const account = await machine.state.getAccount(env.address)
    const frame: CallFrame = {
      from: env.address.toString(),
      gas: '0x0',
      gasUsed: '0x0',
      to: `0x${word.toString(16).padStart(64, '0').slice(24)}`,
      input: '0x',
      value: toQuantity(account?.balance ?? 0n),
      type: 'SELFDESTRUCT',
    }
    addCall(parent, frame)
    budget.add(frameBytes)
  }

  function addLog(topicCount: number, running: Frame): void {
    const { env, stack } = running
    const frame = open.at(-1)?.frame
    if (frame === undefined || frame === null || stack.length < topicCount + 2) return
    const [offset = 0n, size = 0n, ...topics] = stack.peek(topicCount + 2)
    const data = readMemory(running, offset, size)
    if (data === null) return
    const log: CallLog = {
      address: env.address.toString(),
      topics: topics.map((topic) => `0x${topic.toString(16).padStart(64, '0')}`),
      data: toHex(data),
      index: toQuantity(logIndex),
      position: toQuantity(frame.calls?.length ?? 0),
    }
    logIndex += 1
    frame.logs ??= []
    frame.logs.push(log)
    budget.add(frameBytes + log.data.length)
  }

  return {
    // The index of a log counts from the start of the block.
    pass({ execResult }) {
      logIndex += execResult.logs?.length ?? 0
    },
    begin() {
      active = true
      top = null
      open = []
    },
    end({ totalGasSpent }, { transaction }) {
      active = false
      if (top === null) throw new Error('a transaction without a call')
      // The gas of the whole transaction, not the gas left for its first frame.
      top.gas = toQuantity(transaction.gasLimit)
      top.gasUsed = toQuantity(totalGasSpent)
      return inOrder(top)
    },
  }
}

function addCall(parent: CallFrame, call: CallFrame): void {
  parent.calls ??= []
  parent.calls.push(call)
}

function clearLogs(frame: CallFrame): void {
  delete frame.logs
  for (const call of frame.calls ?? []) clearLogs(call)
}

/** Orders the members of a frame: they were set in order of discovery, but the wire order is fixed. */
function inOrder(frame: CallFrame): CallFrame {
  const { from, gas, gasUsed, to, input, output, error, revertReason, calls, logs, value } = frame
  return {
    from,
    gas,
    gasUsed,
    ...(to === undefined ? {} : { to }),
    input,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(revertReason === undefined ? {} : { revertReason }),
    ...(calls === undefined ? {} : { calls: calls.map(inOrder) }),
    ...(logs === undefined ? {} : { logs }),
    ...(value === undefined ? {} : { value }),
    type: frame.type,
  }
}
