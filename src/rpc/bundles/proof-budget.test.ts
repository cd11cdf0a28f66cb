import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bundle } from '../../../test/fakes/gateway.ts'
import { ProofBudget } from './proof-budget.ts'

test('bundles of one request are taken up to a bound; the one that goes over and all after it are refused', () => {
  const budget = new ProofBudget(100)
  const ofChars = (chars: number) => ({ ...bundle, nodes: ['x'.repeat(chars)] })
  budget.check()
  budget.add(ofChars(60))
  budget.check()
  budget.add({ ...ofChars(30), header: 'x'.repeat(10) })
  budget.check()
  assert.throws(() => budget.add(ofChars(1)), { code: 'response_too_large' })
  assert.throws(() => budget.check(), { code: 'response_too_large' })
})
