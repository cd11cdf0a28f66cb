// The tracers by name, and two small ones: `4byteTracer` counts the called selectors, `noopTracer` returns an empty object.
// Tested by src/devchain/engine/trace.test.ts
import { toBareHex, toHex } from '../../base/hex.ts'
import type { TracerChoice } from '../../chain/computation.ts'
import type { StateVm } from '../vm-over-state.ts'
import { createCallTracer } from './call-tracer.ts'
import { createPrestateTracer } from './prestate-tracer.ts'
import { createStructLogger } from './struct-logger.ts'
import { callOpcodes, readMemory, watchCharged } from '../watch-opcodes.ts'
import { readOperands } from './unopened-frame.ts'
import { eventsOf, TraceBudget } from './tracer.ts'
import type { Tracer } from './tracer.ts'

/** Attaches a tracer to an EVM, for all of its runs. It throws `response_too_large` during a run. */
export function createTracer(choice: TracerChoice, machine: StateVm): Tracer {
  const budget = new TraceBudget()
  switch (choice.kind) {
    case 'struct':
      return createStructLogger(choice, machine, budget)
    case 'call':
      return createCallTracer(choice, machine, budget)
    case 'prestate':
      return createPrestateTracer(choice, machine, budget)
    case '4byte':
      return createSelectorTracer(machine, budget)
    case 'noop':
      return { begin() {}, end: () => ({}) }
  }
}

/**
 * Counts calls by `<selector>-<bytes of arguments>`, including calls that failed before they began. Precompiled contracts have
 * no selectors.
 */
function createSelectorTracer(machine: StateVm, budget: TraceBudget): Tracer {
  let counts: Map<string, number> | null = null
  const { precompiles } = machine.vm.evm
  const count = (to: string, data: Uint8Array) => {
    if (counts === null || data.length < selectorBytes || precompiles.has(to)) return
    const name = `${toHex(data.subarray(0, selectorBytes))}-${data.length - selectorBytes}`
    if (!counts.has(name)) budget.add(40)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  eventsOf(machine).on('beforeMessage', ({ depth, to, data }) => {
    if (depth === 0 && to !== undefined) count(toBareHex(to.bytes), data)
  })
  watchCharged(machine.vm, callOpcodes, (opcode, frame) => {
    const {
      to = 0n,
      offset,
      size,
    } = readOperands(opcode, frame.stack.peek(Math.min(frame.stack.length, 7)))
    const data = readMemory(frame, offset, size)
    if (data !== null) count(to.toString(16).padStart(64, '0').slice(24), data)
  })
  return {
    begin() {
      counts = new Map()
    },
    end() {
      const found = Object.fromEntries(counts ?? [])
      counts = null
      return found
    },
  }
}

const selectorBytes = 4
