// Looks into the EVM at chosen instructions. The library's own `step` event copies the whole memory at each
// step, which makes a call with much memory a thousand times slower: these watches cost only what they do.
// Tested by src/ethereum/embedded/vm/calls.test.ts
import type { EVM, getOpcodesForHF } from '@ethereumjs/evm'
import type { VM } from '@ethereumjs/vm'
import type { Turn } from './turn.ts'

type OpcodeEntry = ReturnType<typeof getOpcodesForHF>['opcodeMap'][number]

/** The running frame as the library has it: stack, memory, gas, `env` with address and caller. */
export type Frame = Parameters<OpcodeEntry['gasHandler']>[0]

export const opcodes = {
  keccak256: 0x20,
  balance: 0x31,
  extCodeSize: 0x3b,
  extCodeCopy: 0x3c,
  extCodeHash: 0x3f,
  sload: 0x54,
  sstore: 0x55,
  jump: 0x56,
  jumpi: 0x57,
  create: 0xf0,
  call: 0xf1,
  callCode: 0xf2,
  delegateCall: 0xf4,
  create2: 0xf5,
  staticCall: 0xfa,
  selfDestruct: 0xff,
} as const

/** Every loop jumps or calls; the others are the dear ones. */
const stops = [
  opcodes.jump,
  opcodes.jumpi,
  opcodes.keccak256,
  opcodes.sload,
  opcodes.sstore,
  opcodes.create,
  opcodes.create2,
  opcodes.call,
  opcodes.callCode,
  opcodes.delegateCall,
  opcodes.staticCall,
]

/** Makes the EVM stop for others. To be done once the fork is set: a change of fork forgets it. */
export function stopForOthers(vm: VM, turn: Turn): void {
  replace(vm, stops, (entry) => {
    const { opcodeInfo, opHandler } = entry
    const run = opHandler as (frame: Frame, common: unknown) => Promise<void> | void
    return {
      ...entry,
      opcodeInfo: Object.freeze(Object.assign({}, opcodeInfo, { isAsync: true })),
      opHandler: (async (frame: Frame, common: unknown) => {
        const rest = turn.stop()
        if (rest !== null) await rest
        await run(frame, common)
      }) as OpcodeEntry['opHandler'],
    }
  })
}

/** `seen` is told of each of `codes` before its gas is charged; all of them have a price that varies. */
export function watchOpcodes(
  vm: VM,
  codes: readonly number[],
  seen: (opcode: number, frame: Frame) => void,
): void {
  replace(vm, codes, (entry, opcode) => {
    const { gasHandler } = entry
    return {
      ...entry,
      gasHandler: ((frame, gas, common) => {
        seen(opcode, frame)
        return gasHandler(frame, gas, common)
      }) as OpcodeEntry['gasHandler'],
    }
  })
}

function replace(
  vm: VM,
  codes: readonly number[],
  change: (entry: OpcodeEntry, opcode: number) => OpcodeEntry,
): void {
  const map = (vm.evm as EVM)['_opcodeMap']
  for (const code of codes) {
    const entry = map[code]
    // Not yet an instruction under this fork.
    if (entry !== undefined && !entry.opcodeInfo.isInvalid) map[code] = change(entry, code)
  }
}
