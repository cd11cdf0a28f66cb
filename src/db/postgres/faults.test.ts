import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../base/fault.ts'
import { isConflict, isConnectionLoss, toFault } from './faults.ts'

function failure(code: string, message = 'failed'): Error {
  return Object.assign(new Error(message), { code })
}

const faultOf = (error: Error): string | null => {
  const fault = toFault(error)
  return fault instanceof Fault ? fault.code : null
}

test('a full device, damage and overload have their Faults', () => {
  assert.equal(faultOf(failure('53100')), 'no_space')
  assert.equal(faultOf(failure('XX001')), 'damaged')
  assert.equal(faultOf(failure('53300')), 'overloaded')
  assert.equal(faultOf(failure('57014')), 'overloaded')
  assert.equal(faultOf(failure('22021')), 'bad_input')
  assert.equal(faultOf(failure('P0001', 'storage quota reached')), 'over_quota')
})

test('a lost connection, a stopping server and a standby are losses of the connection', () => {
  const losses = [
    failure('ECONNRESET'),
    failure('57P01'),
    failure('57P03'),
    failure('08006'),
    failure('25006'),
    new Error('Connection terminated unexpectedly'),
  ]
  for (const loss of losses) {
    assert.ok(isConnectionLoss(loss), loss.message)
    assert.equal(faultOf(loss), 'overloaded')
  }
  assert.equal(isConnectionLoss(failure('23505')), false)
})

test('a conflict can be repeated, and a bug stays a bug', () => {
  assert.ok(isConflict(failure('40P01')))
  assert.ok(isConflict(failure('40001')))
  const bug = failure('42601')
  assert.equal(toFault(bug), bug)
})
