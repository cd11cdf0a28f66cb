// Converts a failed execution to an error with go-ethereum's message, because clients match it.
import { Fault } from '../base/fault.ts'
import { toHex } from '../base/hex.ts'
import { opcodeName, operandCount } from './opcode-table.ts'

/** Where a frame stopped. `programCounter`: at the instruction if it was invalid, else after it. */
type Stopped = {
  readonly code: Uint8Array
  readonly opCode: number
  readonly programCounter: number
  readonly stack: { readonly length: number }
}

/** go-ethereum accounts/abi/abi.go, panicReasons. */
const panics: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

/** Messages of the EVM library, and those of go-ethereum (core/vm/errors.go). */
const messages: ReadonlyMap<string, string> = new Map([
  ['code store out of gas', 'contract creation code storage out of gas'],
  ['code size to deposit exceeds maximum code size', 'max code size exceeded'],
  ['initcode exceeds max initcode size', 'max initcode size exceeded'],
  ['invalid bytecode deployed', 'invalid code: must not begin with 0xef'],
  ['static state change', 'write protection'],
  ['create collision', 'contract address collision'],
  ['insufficient balance', 'insufficient balance for transfer'],
  ['value out of range', 'return data out of bounds'],
  ['value overflow', 'gas uint64 overflow'],
  ['stack overflow', 'stack limit reached 1024 (1023)'],
])

/** The same for a precompiled contract that was called directly (core/vm/contracts.go). */
const precompileMessages: ReadonlyMap<string, string> = new Map([
  ['revert', 'malformed point'],
  ['value out of range', 'invalid input length'],
])

/**
 * `returnData`: the revert data. `stopped`: where the outermost frame stopped. Absent if no code ran, as for a precompiled
 * contract, whose failure is not a revert: it uses all gas and returns no data.
 */
export function evmFault(error: string, returnData: Uint8Array, stopped?: Stopped): Fault {
  const precompile = stopped === undefined ? precompileMessages.get(error) : undefined
  if (precompile !== undefined) return new Fault('execution_failed', { detail: precompile })
  if (error === 'revert') return revertFault(returnData)
  if (error === 'invalid opcode') {
    // The EVM library has one message for all codes that are not instructions of the fork.
    const code = stopped?.code[stopped.programCounter] ?? 0xfe
    return new Fault('execution_failed', { detail: `invalid opcode: ${opcodeName(code)}` })
  }
  if (error === 'stack underflow' && stopped !== undefined) {
    const { stack, opCode } = stopped
    return new Fault('execution_failed', { detail: stackUnderflow(stack.length, opCode) })
  }
  // The library appends the position.
  const detail = error.startsWith('invalid JUMP') ? 'invalid jump destination' : messages.get(error)
  return new Fault('execution_failed', { detail: detail ?? error })
}

/** `length`: words on the stack before `opcode`. */
export function stackUnderflow(length: number, opcode: number): string {
  return `stack underflow (${length} <=> ${operandCount(opcode)})`
}

function revertFault(returnData: Uint8Array): Fault {
  const reason = revertReason(returnData)
  return new Fault('reverted', {
    detail: reason === null ? 'execution reverted' : `execution reverted: ${reason}`,
    data: toHex(returnData),
  })
}

/** The text of `Error(string)` or the meaning of `Panic(uint256)`; null for anything else. */
export function revertReason(returnData: Uint8Array): string | null {
  const selector = toHex(returnData.subarray(0, 4))
  const payload = returnData.subarray(4)
  if (selector === '0x4e487b71' && payload.length >= 32) {
    const code = wordAt(payload, 0)
    return panics.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
  }
  if (selector !== '0x08c379a0' || payload.length < 64) return null
  const offset = wordAt(payload, 0)
  if (offset + 32n > BigInt(payload.length)) return null
  const length = wordAt(payload, Number(offset))
  const start = Number(offset) + 32
  if (length > BigInt(payload.length - start)) return null
  return new TextDecoder().decode(payload.subarray(start, start + Number(length)))
}

function wordAt(bytes: Uint8Array, at: number): bigint {
  return BigInt(toHex(bytes.subarray(at, at + 32)))
}
