// Hooks into the EVM at chosen instructions. The library's own `step` event copies the whole memory at each step, which makes a
// call with much memory a thousand times slower. These hooks cost only their own work.
// Tested by src/devchain/engine/read-only-executions.test.ts
import type { EVM, getOpcodesForHF } from '@ethereumjs/evm'
import type { VM } from '@ethereumjs/vm'
import { evmFault, stackUnderflow } from './evm-failure.ts'
import { operandCount } from './opcode-table.ts'
import { boundPrecompiles } from './precompiles/bound-precompiles.ts'
import type { TimeSlice } from './time-slice.ts'

type OpcodeEntry = ReturnType<typeof getOpcodesForHF>['opcodeMap'][number]

/** The running frame in the library's form: stack, memory, gas, `env` with address and caller. */
export type Frame = Parameters<OpcodeEntry['gasHandler']>[0]

export const opcodes = {
  stop: 0x00,
  exp: 0x0a,
  keccak256: 0x20,
  balance: 0x31,
  callDataCopy: 0x37,
  codeCopy: 0x39,
  extCodeSize: 0x3b,
  extCodeCopy: 0x3c,
  returnDataCopy: 0x3e,
  extCodeHash: 0x3f,
  blockHash: 0x40,
  baseFee: 0x48,
  sload: 0x54,
  sstore: 0x55,
  jump: 0x56,
  jumpi: 0x57,
  memoryCopy: 0x5e,
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  return: 0xf3,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  selfDestruct: 0xff,
} as const

/** Instructions whose first operand is an address. */
export const addressOpcodes: readonly number[] = [
  opcodes.balance,
  opcodes.extCodeSize,
  opcodes.extCodeCopy,
  opcodes.extCodeHash,
  opcodes.selfDestruct,
]

/** Instructions that call the address in the second operand and pass gas on. */
export const callOpcodes: readonly number[] = [
  opcodes.call,
  opcodes.callCode,
  opcodes.delegateCall,
  opcodes.staticCall,
]

/** Name of a frame, by the instruction that opened it. */
export const frameTypes: Readonly<Record<number, string>> = {
  [opcodes.create]: 'CREATE',
  [opcodes.call]: 'CALL',
  [opcodes.callCode]: 'CALLCODE',
  [opcodes.delegateCall]: 'DELEGATECALL',
  [opcodes.create2]: 'CREATE2',
  [opcodes.staticCall]: 'STATICCALL',
  [opcodes.selfDestruct]: 'SELFDESTRUCT',
}

/** Every loop contains a jump or a call. */
const cheapStops: readonly number[] = [opcodes.jump, opcodes.jumpi]

/** Each of these may take more than a millisecond, so the clock is read before each. */
const costlyStops: readonly number[] = [
  opcodes.exp,
  opcodes.keccak256,
  opcodes.callDataCopy,
  opcodes.codeCopy,
  opcodes.returnDataCopy,
  opcodes.blockHash,
  opcodes.sload,
  opcodes.sstore,
  opcodes.memoryCopy,
  opcodes.create,
  opcodes.create2,
  ...addressOpcodes,
  ...callOpcodes,
]

/** Makes the EVM yield to other tasks. Call after the fork is set, because a change of fork discards the hooks. */
export function addYieldPoints(vm: VM, slice: TimeSlice): void {
  stopAt(vm, cheapStops, () => slice.stop())
  stopAt(vm, costlyStops, () => slice.yieldIfDue())
  boundPrecompiles(vm, (ms, what) => slice.step(ms, what))
}

function stopAt(vm: VM, codes: readonly number[], stop: () => Promise<void> | null): void {
  replace(vm, codes, (entry) => {
    const { opcodeInfo, opHandler } = entry
    const run = opHandler as (frame: Frame, common: unknown) => Promise<void> | void
    return {
      ...entry,
      opcodeInfo: Object.freeze(Object.assign({}, opcodeInfo, { isAsync: true })),
      // No promise of its own unless the call stops: every loop passes here.
      opHandler: ((frame: Frame, common: unknown) => {
        const pause = stop()
        return pause === null ? run(frame, common) : pause.then(() => run(frame, common))
      }) as OpcodeEntry['opHandler'],
    }
  })
}

/** `onOpcode` is called for each of `codes` before its gas is charged; all of them have dynamic gas. */
export function watchOpcodes(
  vm: VM,
  codes: readonly number[],
  onOpcode: (opcode: number, frame: Frame) => Promise<void> | void,
): void {
  replace(vm, codes, (entry, opcode) => {
    const { gasHandler } = entry
    return {
      ...entry,
      gasHandler: (async (frame: Frame, gas: bigint, common: never) => {
        await onOpcode(opcode, frame)
        return gasHandler(frame, gas, common)
      }) as OpcodeEntry['gasHandler'],
    }
  })
}

/**
 * `begin` is called for each of `codes` after its gas is charged and before its operands are popped. If it returns a function,
 * that is called after the instruction.
 */
export function watchCharged(
  vm: VM,
  codes: readonly number[],
  begin: (opcode: number, frame: Frame) => Promise<void> | (() => void) | void,
): void {
  replace(vm, codes, (entry, opcode) => {
    const { opcodeInfo, opHandler } = entry
    const run = opHandler as (frame: Frame, common: unknown) => Promise<void> | void
    return {
      ...entry,
      opcodeInfo: Object.freeze(Object.assign({}, opcodeInfo, { isAsync: true })),
      opHandler: (async (frame: Frame, common: unknown) => {
        const done = await begin(opcode, frame)
        await run(frame, common)
        done?.()
      }) as OpcodeEntry['opHandler'],
    }
  })
}

/** Makes BASEFEE return `baseFee`, independent of the block in the EVM. */
export function overrideBaseFee(vm: VM, baseFee: bigint): void {
  replace(vm, [opcodes.baseFee], (entry) => ({
    ...entry,
    opHandler: ((frame: Frame) => frame.stack.push(baseFee)) as OpcodeEntry['opHandler'],
  }))
}

function replace(
  vm: VM,
  codes: readonly number[],
  change: (entry: OpcodeEntry, opcode: number) => OpcodeEntry,
): void {
  const map = (vm.evm as EVM)['_opcodeMap']
  for (const code of codes) {
    const entry = map[code]
    // Skip instructions that do not exist in this fork.
    if (entry !== undefined && !entry.opcodeInfo.isInvalid) map[code] = change(entry, code)
  }
}

/**
 * One instruction before it runs. `cost`: includes gas passed on by a call; `memoryBytes`: before expansion; `error`: why it
 * cannot run, or null.
 */
export type Step = {
  readonly opcode: number
  readonly frame: Frame
  readonly cost: bigint
  readonly memoryBytes: number
  readonly error: string | null
}

/** `onOpcode` is called for every instruction, also for one without enough gas. */
export function watchSteps(vm: VM, onOpcode: (step: Step) => Promise<void> | void): void {
  const map = (vm.evm as EVM)['_opcodeMap']
  for (const [opcode, entry] of map.entries()) {
    const { opcodeInfo, gasHandler } = entry
    map[opcode] = {
      ...entry,
      opcodeInfo: Object.freeze(Object.assign({}, opcodeInfo, { dynamicGas: true })),
      gasHandler: (async (frame: Frame, gas: bigint, common: never) => {
        const step = { opcode, frame, memoryBytes: Number(frame.memoryWordCount) * 32 }
        const error = stackFault(opcode, frame) ?? (frame.gasLeft < gas ? outOfGas : null)
        if (error !== null) {
          // The library then fails in the same way.
          await onOpcode({ ...step, cost: gas, error })
          return gas
        }
        let cost = gas
        try {
          if (opcodeInfo.dynamicGas) cost = await gasHandler(frame, gas, common)
        } catch (thrown) {
          await onOpcode({ ...step, cost, error: reasonOf(thrown) })
          throw thrown
        }
        const passedGas = callOpcodes.includes(opcode) ? (frame.messageGasLimit ?? 0n) : 0n
        await onOpcode({
          ...step,
          cost: cost + passedGas,
          error: frame.gasLeft < cost ? outOfGas : null,
        })
        return cost
      }) as OpcodeEntry['gasHandler'],
    }
  }
}

const outOfGas = 'out of gas'

/** Null for errors that go-ethereum finds only during the instruction. */
function reasonOf(thrown: unknown): string | null {
  const error = (thrown as { readonly error?: unknown } | null)?.error
  if (typeof error !== 'string') return outOfGas
  const { message } = evmFault(error, new Uint8Array(0))
  return message === 'return data out of bounds' ? null : message
}

function stackFault(opcode: number, { stack }: Frame): string | null {
  if (stack.length < operandCount(opcode)) return stackUnderflow(stack.length, opcode)
  return null
}

/** More than any amount of gas can pay for. */
const memoryReadMax = 0x100_0000n

/** Bytes of the frame's memory, zeros beyond its current size. Null if `size` is impossibly large. */
export function readMemory({ memory }: Frame, offset: bigint, size: bigint): Uint8Array | null {
  if (size > memoryReadMax || offset > memoryReadMax) return null
  const bytes = new Uint8Array(Number(size))
  bytes.set(memory._store.subarray(Number(offset), Number(offset + size)))
  return bytes
}
