// The frame of a call or creation that failed before it began: depth limit, insufficient balance or nonce overflow.
// Tested by src/devchain/engine/trace.test.ts
import { toHex, toQuantity } from '../../base/hex.ts'
import { frameTypes, opcodes, readMemory } from '../watch-opcodes.ts'
import type { Frame } from '../watch-opcodes.ts'
import type { CallFrame } from './call-frame.ts'

const depthMax = 1024
/** Extra gas for a call with a value. */
const stipend = 2_300n

/** Reads the operands now. The caller uses the returned function only if the frame never began. */
export function unopenedFrame(opcode: number, frame: Frame): () => CallFrame {
  const { stack, env } = frame
  const operands = stack.peek(Math.min(stack.length, 7))
  const gas = frame.messageGasLimit ?? 0n
  return () => {
    const { to, value, offset, size } = readOperands(opcode, operands)
    const type = frameTypes[opcode] ?? 'CALL'
    const carried = value ?? (type === 'DELEGATECALL' ? env.callValue : undefined)
    return {
      from: env.address.toString(),
      gas: toQuantity(gas + (to !== undefined && (value ?? 0n) > 0n ? stipend : 0n)),
      gasUsed: '0x0',
      ...(to === undefined ? {} : { to: `0x${to.toString(16).padStart(64, '0').slice(24)}` }),
      input: toHex(readMemory(frame, offset, size) ?? new Uint8Array(0)),
      error: env.depth >= depthMax ? 'max call depth exceeded' : shortOf(frame, value ?? 0n),
      ...(carried === undefined ? {} : { value: toQuantity(carried) }),
      type,
    }
  }
}

/** Operands by instruction: only CALL, CALLCODE and creations have a value; creations have no target. */
export function readOperands(opcode: number, operands: readonly bigint[]) {
  const at = (index: number) => operands[index] ?? 0n
  switch (opcode) {
    case opcodes.create:
    case opcodes.create2:
      return { to: undefined, value: at(0), offset: at(1), size: at(2) }
    case opcodes.call:
    case opcodes.callCode:
      return { to: at(1), value: at(2), offset: at(3), size: at(4) }
    default:
      return { to: at(1), value: undefined, offset: at(2), size: at(3) }
  }
}

function shortOf({ env }: Frame, value: bigint): string {
  const poor = env.contract.balance < value
  return poor ? 'insufficient balance for transfer' : 'nonce uint64 overflow'
}
