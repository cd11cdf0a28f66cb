// Valid subscriptions, and the messages that refuse the others. Events: subscriptions/subscriptions.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeHead, createFakeNetwork } from '../../../../test/fakes/upstream/network.ts'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { ethSubscribe } from './eth_subscribe.ts'
import { ethUnsubscribe } from './eth_unsubscribe.ts'

const network = createFakeNetwork({
  head: createFakeHead([{ network: 'dev', hash: new Uint8Array(32), number: 0n }]),
  obtain: () => Promise.reject(new Error('nothing is read')),
})

test('arguments are refused in the words of a node', () => {
  const expected = 'expected subscription name as first argument'
  const cases: readonly (readonly [readonly unknown[], string, string])[] = [
    [[], 'bad_params', expected],
    [[1], 'bad_params', expected],
    [['nope'], 'no_subscription', 'no "nope" subscription in eth namespace'],
    [['newHeads', {}], 'bad_params', 'too many arguments, want at most 1'],
    [['logs'], 'bad_params', 'missing value for required argument 1'],
    [
      ['newPendingTransactions', 1],
      'bad_params',
      'invalid argument 1: json: cannot unmarshal number into Go value of type bool',
    ],
    [['logs', { fromBlock: 'pending' }], 'bad_params', 'pending logs are not supported'],
    [['logs', { fromBlock: '0x5', toBlock: '0x4' }], 'bad_params', 'invalid block range params'],
  ]
  for (const [params, code, message] of cases) {
    assert.throws(() => ethSubscribe.parse(params), { code, message })
  }
})

test('a list of addresses holds for logs alone', () => {
  const about = (...params: unknown[]) => ethSubscribe.addresses?.(ethSubscribe.parse(params))
  assert.equal(about('newHeads'), undefined)
  assert.deepEqual(about('logs', {}), [])
  assert.deepEqual(about('logs', { address: `0x${'01'.repeat(20)}` }), [new Uint8Array(20).fill(1)])
})

test('without a connection there is no subscription', async () => {
  await assert.rejects(runOperation(ethSubscribe, network, ['newHeads']), {
    code: 'no_subscription',
    message: 'notifications not supported',
  })
  await assert.rejects(runOperation(ethUnsubscribe, network, ['0x1']), {
    code: 'no_filter',
    message: 'subscription not found',
  })
})
