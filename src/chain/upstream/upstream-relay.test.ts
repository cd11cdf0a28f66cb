// Relayed calls: the pinned block, the label and the error that the client gets; and sent transactions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromHex, toHex } from '../../base/hex.ts'
import { impersonate } from '../../codec/ethereum/impersonation.ts'
import { decodeTransaction, transactionHash } from '../../codec/ethereum/transaction.ts'
import { encodeTransaction } from '../../codec/ethereum/transaction-encode.ts'
import { createReadyTransactions } from '../transaction-pool.ts'
import type { BlockRef } from '../head.ts'
import type { Agreement } from './pool/agree.ts'
import type { ReadRequest } from './pool/read-from-another.ts'
import type { UpstreamTransactionLookup } from './upstream-transaction-lookup.ts'
import { UpstreamError, type UpstreamErrorKind } from './node/upstream-error.ts'
import { createUpstreamRelay } from './upstream-relay.ts'
import { createUpstreamTransactionPool } from './upstream-transaction-pool.ts'

const { signal } = new AbortController()
const block: BlockRef = { network: 'test', hash: new Uint8Array(32).fill(7), number: 10n }
const hash = toHex(block.hash)
const fails = (kind: UpstreamErrorKind, code?: number) =>
  new UpstreamError({ kind, phase: 'answering', message: 'its words', ...(code && { code }) })

function rig(
  options: {
    readonly answer?: (request: ReadRequest) => unknown
    readonly trusted?: boolean
    readonly agreement?: Agreement | null
    readonly agree?: number
  } = {},
) {
  const { answer = () => '0x1', trusted = false, agreement = null, agree = 1 } = options
  const read: ReadRequest[] = []
  const agreed: unknown[] = []
  const relay = createUpstreamRelay({
    network: 'test',
    agree,
    pool: {
      async read(request) {
        read.push(request)
        return { result: answer(request), upstream: 'one', trusted }
      },
      upstreams: [],
      async agree(question) {
        agreed.push(question)
        return agreement
      },
    },
  })
  return { relay, read, agreed }
}

test('each form of pin encodes the block as the method expects it', async () => {
  const { relay, read } = rig()
  for (const form of ['object', 'number'] as const) {
    await relay.call(
      { method: 'm', params: [1], class: 'read', pin: { at: 2, form, block } },
      signal,
    )
  }
  assert.deepEqual(
    read.map(({ params }) => params),
    [
      [1, null, { blockHash: hash }],
      [1, null, '0xa'],
    ],
  )
})

test('a node that does not accept a block hash receives the number', async () => {
  const { relay, read } = rig({
    answer: ({ params }) => {
      const [, at] = params as readonly unknown[]
      if (typeof at === 'object') throw fails('client_fault', -32602)
      return '0x2'
    },
  })
  const pin = { at: 1, form: 'object', block } as const
  const { result } = await relay.call(
    { method: 'eth_call', params: [{}], class: 'read', pin },
    signal,
  )
  assert.deepEqual([result, read.length, read[1]?.params], ['0x2', 2, [{}, '0xa']])
})

test('the label names the source of the answer', async () => {
  const call = { method: 'm', params: [], class: 'read' } as const
  assert.equal((await rig().relay.call(call, signal)).level, 'none')
  assert.equal((await rig({ trusted: true }).relay.call(call, signal)).level, 'trusted')
})

test('a provable call without a proof goes to several upstreams, and counts if they agree', async () => {
  const call = { method: 'm', params: [], class: 'read', provable: true } as const
  const agreement = { result: '0x5', agreed: 2, queried: 3 }
  const several = rig({ agree: 2, agreement })
  assert.deepEqual(await several.relay.call(call, signal), { result: '0x5', level: 'quorum:2/3' })
  assert.equal(several.read.length, 0)
  const divided = rig({ agree: 2 })
  assert.equal((await divided.relay.call(call, signal)).level, 'none')
  const alone = rig({ agree: 1, agreement })
  await alone.relay.call(call, signal)
  assert.equal(alone.agreed.length, 0)
})

test('each kind of upstream error becomes the matching error for the caller', async () => {
  const faultFor = (kind: UpstreamErrorKind, code?: number) =>
    rig({
      answer: () => {
        throw fails(kind, code)
      },
    }).relay.call({ method: 'x_y', params: [], class: 'unlisted' }, signal)
  await assert.rejects(faultFor('execution'), { code: 'upstream_said', message: 'its words' })
  await assert.rejects(faultFor('trouble'), { code: 'no_upstream' })
  await assert.rejects(faultFor('trouble', -32603), { code: 'upstream_said', message: 'its words' })
  await assert.rejects(faultFor('unsupported'), {
    code: 'no_method',
    message: /method x_y does not/,
  })
})

const raw = fromHex(
  '0xf8ad835e472485174876e800830249f0944b9c25ca0224aef6a7522cabdbc3b2e125b7ca5080b8446ea056a9000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000bd8d7fa6f8cc0025a0d1556332df97e3bd911068651cfad6f975a30381f4ff3a55df7ab3512c78b9eca066b51cbb10cd1b2a09aaff137d9f6d4255bf73cb7702b666ebd5af502ffa4410',
)

function poolRig(result: unknown = '0x5', waiting: Uint8Array = raw) {
  const sent: unknown[] = []
  const words: UpstreamTransactionLookup = {
    locate: () => assert.fail('not asked'),
    findPending: async () => waiting,
  }
  const pool = createUpstreamTransactionPool({
    network: 'test',
    lookup: words,
    arrivals: createReadyTransactions(),
    pool: {
      read: async () => ({ result, upstream: 'one', trusted: false }),
      broadcast: async (transaction) => {
        sent.push(transaction)
      },
    },
  })
  return { pool, sent }
}

test('a transaction’s hash is computed by Cairn, not taken from replies', async () => {
  const { pool, sent } = poolRig()
  const expected = transactionHash(raw)
  assert.deepEqual(await pool.send(raw, signal), expected)
  assert.deepEqual(sent, [{ raw: toHex(raw), hash: toHex(expected) }])
})

test('a pending transaction that names its sender without a signature is ignored', async () => {
  const hash = transactionHash(raw)
  assert.deepEqual(await poolRig().pool.pendingTransaction(hash, signal), raw)
  const sender = new Uint8Array(20).fill(1)
  const unsigned = encodeTransaction(impersonate(decodeTransaction(raw), sender, 1n))
  const { pool } = poolRig('0x5', unsigned)
  assert.equal(await pool.pendingTransaction(hash, signal), null)
})

test('bytes that are no transaction are not sent', async () => {
  const { pool, sent } = poolRig()
  for (const junk of ['0x', '0x03', '0x03c0']) {
    await assert.rejects(pool.send(fromHex(junk), signal), { code: 'pool_refused' })
  }
  assert.equal(sent.length, 0)
})

test('a pending nonce that is not a number is no answer', async () => {
  assert.equal(await poolRig('0x41').pool.pendingNonce(new Uint8Array(20), signal), 0x41n)
  await assert.rejects(poolRig({}).pool.pendingNonce(new Uint8Array(20), signal), {
    code: 'no_upstream',
  })
})
