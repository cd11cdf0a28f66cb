import assert from 'node:assert/strict'
import test from 'node:test'
import { fromHex } from '../base/hex.ts'
import { evmFault, revertReason } from './evm-failure.ts'

test('failures are named as go-ethereum names them', () => {
  const nothing = new Uint8Array(0)
  assert.equal(
    evmFault('invalid JUMP at 0xab/0xcd:45', nothing).message,
    'invalid jump destination',
  )
  assert.equal(evmFault('out of gas', nothing).message, 'out of gas')
  const at = (opcode: number, length = 0) => ({
    code: Uint8Array.of(0x5b, opcode),
    // The EVM library's opcode for every code that is not an instruction of the fork.
    opCode: 0xfe,
    programCounter: 1,
    stack: { length },
  })
  const invalid = (opcode: number) => evmFault('invalid opcode', nothing, at(opcode)).message
  assert.equal(invalid(0xfe), 'invalid opcode: INVALID')
  assert.equal(invalid(0x0c), 'invalid opcode: opcode 0xc not defined')
  assert.equal(invalid(0xed), 'invalid opcode: opcode 0xed not defined')
  assert.equal(invalid(0x5f), 'invalid opcode: PUSH0')
  const short = evmFault('stack underflow', nothing, { ...at(0x03, 1), opCode: 0x03 })
  assert.equal(short.message, 'stack underflow (1 <=> 2)')
  const revert = evmFault('revert', nothing, at(0xfd))
  assert.deepEqual(
    [revert.code, revert.message, revert.data],
    ['reverted', 'execution reverted', '0x'],
  )
  const point = evmFault('revert', nothing)
  assert.deepEqual([point.code, point.message], ['execution_failed', 'malformed point'])
  assert.equal(evmFault('value out of range', nothing).message, 'invalid input length')
})

test('a reason is read only where its length and offset stay inside the bytes', () => {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const error = (offset: bigint, length: bigint, text: string) =>
    fromHex(`0x08c379a0${word(offset)}${word(length)}${text.padEnd(64, '0')}`)
  assert.equal(revertReason(error(32n, 2n, '6f6b')), 'ok')
  assert.equal(revertReason(error(2n ** 255n, 2n, '6f6b')), null)
  assert.equal(revertReason(error(32n, 2n ** 200n, '6f6b')), null)
  assert.equal(revertReason(error(32n, 33n, '6f6b')), null)
  assert.equal(revertReason(fromHex('0x08c379a0')), null)
  assert.equal(revertReason(fromHex(`0x4e487b71${word(0x12n)}`)), 'division or modulo by zero')
  assert.equal(revertReason(fromHex(`0x4e487b71${word(0xffn)}`)), 'unknown panic code: 0xff')
})
