import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../base/clock.ts'
import { createSenderCache } from '../chain/sender-cache.ts'
import { createRpcOperations } from './methods/index.ts'
import { findRefusal, refusedMethods } from './refused-methods.ts'

test('what needs keys is refused with the way to do without', () => {
  const refusal = findRefusal('eth_sendTransaction')
  assert.equal(refusal?.code, 'method_not_offered')
  assert.equal(refusal?.row.rpc, -32004)
  assert.equal(refusal?.row.status, 200)
  assert.equal(
    refusal?.message,
    'this server stores no private keys: sign in the client, then use eth_sendRawTransaction',
  )
  for (const method of ['eth_sign', 'eth_signTypedData_v4', 'personal_unlockAccount']) {
    assert.equal(
      findRefusal(method)?.message,
      'this server stores no private keys: sign in the client',
    )
  }
})

test('refusals of console, consensus and mining methods name the alternative', () => {
  for (const method of ['admin_peers', 'engine_newPayloadV4', 'miner_start', 'eth_coinbase']) {
    assert.equal(findRefusal(method)?.code, 'method_not_offered')
  }
})

test('subscriptions are refused over HTTP in the words of a node', () => {
  const refusal = findRefusal('eth_subscribe')
  assert.equal(refusal?.row.rpc, -32601)
  assert.equal(refusal?.message, 'notifications not supported')
})

test('a method that is merely unknown is not refused here', () => {
  // viem tries eth_fillTransaction first and falls back only after -32601.
  for (const method of ['eth_fillTransaction', 'eth_signature', 'eth_sendTransactions', 'admin']) {
    assert.equal(findRefusal(method), null)
  }
})

test('no method is both answered and refused over HTTP', () => {
  for (const { name, lasting = false, development = false } of createRpcOperations({
    clientVersion: '',
    clock: systemClock,
    findSender: createSenderCache(1_000).find,
  }).values()) {
    // The embedded chain answers a development method; other networks refuse it.
    if (development) continue
    assert.equal(findRefusal(name)?.code, lasting ? 'no_subscription' : undefined)
  }
})

test('no sentence has a word that clients match for the state of a transaction', () => {
  for (const { sentence } of refusedMethods) {
    assert.doesNotMatch(sentence, /revert|nonce|insufficient funds|replacement|does not exist/i)
  }
})
