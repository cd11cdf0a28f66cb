// eth_sendRawTransactionSync with a head that the test moves: when it returns and when it fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChain } from '../../../../test/fakes/chain-vectors.ts'
import { createFakePool } from '../../../../test/fakes/upstream/network.ts'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { createVectorNetwork } from '../../../../test/fakes/upstream/vector-network.ts'
import { type Clock, systemClock } from '../../../base/clock.ts'
import { toHex } from '../../../base/hex.ts'
import { splitBlocks } from '../../../codec/ethereum/block.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { decodeEntries } from '../../../codec/ethereum/list.ts'
import type { HeadUpdate } from '../../../chain/head.ts'
import type { Network } from '../../../chain/network.ts'
import { createSenderCache } from '../../../chain/sender-cache.ts'
import { createEthGetTransactionReceipt } from './eth_getTransactionReceipt.ts'
import { createEthSendRawTransactionSync } from './eth_sendRawTransactionSync.ts'

const { find } = createSenderCache(1_000)

/** A recorded transaction that the head reports only after `mine`. */
async function rig() {
  const network = createVectorNetwork()
  const receiptOf = createEthGetTransactionReceipt(find)
  for (const { transactions } of splitBlocks(readChain('chain.rlp'))) {
    for (const raw of decodeEntries(transactions)) {
      const hash = keccak256(raw)
      const receipt = await runOperation(receiptOf, network, [toHex(hash)]).catch(() => null)
      if (receipt !== null) return { ...hidden(network, hash), raw: toHex(raw), receipt, hash }
    }
  }
  return assert.fail('no recorded receipt can be proved')
}

function hidden(network: Network, hash: Uint8Array) {
  let mined = false
  const listeners = new Set<(change: HeadUpdate) => void>()
  const sent = Promise.withResolvers<void>()
  const late = Promise.withResolvers<() => void>()
  const clock: Clock = {
    ...systemClock,
    after(_delay, run) {
      late.resolve(run)
      return () => {}
    },
  }
  const hiding: Network = {
    ...network,
    pool: createFakePool({
      async send() {
        sent.resolve()
        return hash
      },
    }),
    head: {
      ...network.head,
      locate: (...args) => (mined ? network.head.locate(...args) : []),
      watch(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  }
  const move = () => {
    for (const listener of listeners) listener({ removed: [], added: [] })
  }
  return {
    network: hiding,
    operation: createEthSendRawTransactionSync(find, clock),
    sent: sent.promise,
    late: late.promise,
    listeners,
    move,
    mine() {
      mined = true
      move()
    },
  }
}

test('the receipt comes as soon as a block holds the transaction, not before', async () => {
  const { network, operation, raw, receipt, sent, move, mine, listeners } = await rig()
  const running = runOperation(operation, network, [raw])
  await sent
  // Another block, without the transaction.
  move()
  mine()
  assert.deepEqual(await running, receipt)
  assert.deepEqual(receipt.levels, ['proof'])
  assert.equal(listeners.size, 0)
})

test('when the time is up the error names the hash, and nothing stays behind', async () => {
  const { network, operation, raw, hash, sent, late, listeners } = await rig()
  const running = runOperation(operation, network, [raw, 1500])
  await sent
  ;(await late)()
  await assert.rejects(running, {
    code: 'not_in_block',
    rpcCode: 4,
    data: toHex(hash),
    message: "The transaction was added to the transaction pool but wasn't processed in 1.5s",
  })
  assert.equal(listeners.size, 0)
})

test('a transaction that is in a block already is answered at once', async () => {
  const { network, operation, raw, receipt, mine } = await rig()
  mine()
  assert.deepEqual(await runOperation(operation, network, [raw]), receipt)
})

test('the timeout is a whole number of milliseconds, at most 25 s, 20 s by default', () => {
  const { parse } = createEthSendRawTransactionSync(find, systemClock)
  const timeouts = [[], [null], [0], [5], [60_000]].map(
    (rest) => parse(['0x00', ...rest]).timeoutMs,
  )
  assert.deepEqual(timeouts, [20_000, 20_000, 20_000, 5, 25_000])
  for (const [timeout, refused] of [
    ['0x10', 'string'],
    [-1, 'number -1'],
    [1.5, 'number 1.5'],
  ] as const) {
    assert.throws(() => parse(['0x00', timeout]), {
      code: 'bad_params',
      message: `invalid argument 1: json: cannot unmarshal ${refused} into Go value of type uint64`,
    })
  }
})
