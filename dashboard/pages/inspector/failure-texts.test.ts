import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { messageIn, upstreamCauses } from './failure-texts.ts'

test('each upstream that failed is named once, with its last failure', () => {
  const timeline = [
    { step: 'store', name: '', outcome: 'absent' },
    { step: 'source', name: 'node-a', outcome: 'rate_limit' },
    { step: 'source', name: 'node-b', outcome: 'answered' },
    { step: 'source', name: 'node-a', outcome: 'trouble' },
    { step: 'source', name: 'node-c', outcome: 'lied' },
  ]
  deepEqual(upstreamCauses(timeline), ['node-a did not answer', 'node-c sent an invalid reply'])
  deepEqual(upstreamCauses(timeline.map((step) => ({ ...step, name: '' }))), [])
})

test('the message of an error is read from its recorded text, if that is complete', () => {
  equal(messageIn('{"code":-32602,"message":"missing value"}'), 'missing value')
  for (const text of [null, '', '{"message":"cut o', '"0x1"', '{"code":1}', '5', 'null']) {
    equal(messageIn(text), null, String(text))
  }
})
