// The transaction pool of a started server over the wire: pending transactions, the pending block, replacement, manual mining.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Transaction, type TransactionRequest, Wallet } from 'ethers'
import { toQuantity } from '../../src/base/hex.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { chainFolder } from '../fakes/chain-vectors.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'
import { replayTranscripts } from './rpc-compat.ts'
import { readTranscripts } from './transcripts.ts'

const [alice, bob] = devAccounts.map(({ privateKey }) => new Wallet(privateKey)) as [Wallet, Wallet]
const gwei = 1_000_000_000n

async function start(t: TestContext, env: Record<string, string>): Promise<Started> {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const cairn = await startCairn({ dataDir, env })
  t.after(() => cairn.stop())
  return cairn
}

function sign(wallet: Wallet, request: TransactionRequest): Promise<string> {
  return wallet.signTransaction({
    type: 2,
    chainId: 1337,
    to: bob.address,
    gasLimit: 21_000,
    maxFeePerGas: 2n * gwei,
    maxPriorityFeePerGas: gwei,
    ...request,
  })
}

async function send(cairn: Started, raw: string): Promise<string> {
  const { result, error } = await cairn.rpc('eth_sendRawTransaction', [raw])
  assert.equal(error, undefined)
  assert.equal(result, Transaction.from(raw).hash)
  return String(result)
}

async function ask(cairn: Started, method: string, params: readonly unknown[] = []) {
  const { result, error } = await cairn.rpc(method, params)
  assert.equal(error, undefined, method)
  return result
}

test('with mining off pending transactions are visible to all clients until evm_mine', async (t) => {
  const cairn = await start(t, { CAIRN_CHAIN_MINING: 'off' })
  const empty = { pending: {}, queued: {} }
  assert.deepEqual(await ask(cairn, 'txpool_content'), empty)
  assert.deepEqual(await ask(cairn, 'txpool_status'), { pending: '0x0', queued: '0x0' })

  const first = await send(cairn, await sign(alice, { nonce: 0, value: 7 }))
  const afterGap = await send(
    cairn,
    await sign(alice, { nonce: 2, to: null, data: '0x00', gasLimit: 60_000 }),
  )
  assert.deepEqual(await ask(cairn, 'txpool_status'), { pending: '0x1', queued: '0x1' })
  const waiting = await ask(cairn, 'eth_getTransactionByHash', [first])
  assert.partialDeepStrictEqual(waiting, {
    hash: first,
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
  })
  const queued = await ask(cairn, 'eth_getTransactionByHash', [afterGap])
  assert.deepEqual(await ask(cairn, 'txpool_content'), {
    pending: { [alice.address]: { 0: waiting } },
    queued: { [alice.address]: { 2: queued } },
  })
  const own = { pending: { 0: waiting }, queued: { 2: queued } }
  assert.deepEqual(await ask(cairn, 'txpool_contentFrom', [alice.address]), own)
  assert.deepEqual(await ask(cairn, 'txpool_contentFrom', [bob.address]), empty)
  assert.deepEqual(await ask(cairn, 'txpool_inspect'), {
    pending: { [alice.address]: { 0: `${bob.address}: 7 wei + 21000 gas × 2000000000 wei` } },
    queued: { [alice.address]: { 2: 'contract creation: 0 wei + 60000 gas × 2000000000 wei' } },
  })
  assert.equal(await ask(cairn, 'eth_getTransactionCount', [alice.address, 'pending']), '0x1')
  assert.equal(await ask(cairn, 'eth_getTransactionCount', [alice.address, 'latest']), '0x0')
  assert.equal(await ask(cairn, 'eth_getTransactionReceipt', [first]), null)

  assert.equal(await ask(cairn, 'eth_blockNumber'), '0x0')
  assert.equal(await ask(cairn, 'evm_mine'), '0x0')
  assert.equal(await ask(cairn, 'eth_blockNumber'), '0x1')
  assert.partialDeepStrictEqual(await ask(cairn, 'eth_getTransactionReceipt', [first]), {
    blockNumber: '0x1',
    status: '0x1',
  })
  assert.deepEqual(await ask(cairn, 'txpool_status'), { pending: '0x0', queued: '0x1' })
  await ask(cairn, 'evm_mine')
  assert.partialDeepStrictEqual(await ask(cairn, 'eth_getBlockByNumber', ['latest', false]), {
    number: '0x2',
    transactions: [],
  })
})

test('the pending block equals the block that evm_mine then mines', async (t) => {
  const cairn = await start(t, { CAIRN_CHAIN_MINING: 'off' })
  const hashes = [
    await send(cairn, await sign(alice, { nonce: 0 })),
    await send(cairn, await sign(alice, { nonce: 1 })),
  ]
  const pending = (await ask(cairn, 'eth_getBlockByNumber', ['pending', false])) as {
    [member: string]: unknown
  }
  assert.partialDeepStrictEqual(pending, {
    number: '0x1',
    hash: null,
    nonce: null,
    miner: null,
    transactions: hashes,
    gasUsed: '0xa410',
  })
  const full = await ask(cairn, 'eth_getBlockByNumber', ['pending', true])
  const waiting = await ask(cairn, 'eth_getTransactionByHash', [hashes[1]])
  assert.deepEqual((full as { transactions: unknown[] }).transactions[1], waiting)
  assert.deepEqual(
    await ask(cairn, 'eth_getTransactionByBlockNumberAndIndex', ['pending', '0x1']),
    waiting,
  )
  assert.equal(
    await ask(cairn, 'eth_getTransactionByBlockNumberAndIndex', ['pending', '0x2']),
    null,
  )
  assert.equal(await ask(cairn, 'eth_getBlockTransactionCountByNumber', ['pending']), '0x2')
  assert.equal(await ask(cairn, 'eth_blockNumber'), '0x0')

  await ask(cairn, 'evm_mine')
  const made = (await ask(cairn, 'eth_getBlockByNumber', ['latest', false])) as {
    [member: string]: unknown
  }
  // Only the time may differ, and with it the hashes that depend on it.
  for (const member of ['parentHash', 'transactions', 'gasUsed', 'receiptsRoot', 'size']) {
    assert.deepEqual(made[member], pending[member], member)
  }
  assert.equal(await ask(cairn, 'eth_getBlockTransactionCountByNumber', ['pending']), '0x0')
})

test('a pending transaction is replaced for ten percent more, and the replacement refused below', async (t) => {
  const cairn = await start(t, { CAIRN_CHAIN_MINING: 'off' })
  const raw = await sign(alice, { nonce: 0 })
  const first = await send(cairn, raw)
  const refused = async (again: string, message: string) => {
    const { error } = await cairn.rpc('eth_sendRawTransaction', [again])
    assert.deepEqual(error, { code: -32_000, message })
  }
  await refused(raw, 'already known')
  const percent = (share: bigint) => ({
    maxFeePerGas: (2n * gwei * share) / 100n,
    maxPriorityFeePerGas: (gwei * share) / 100n,
  })
  await refused(
    await sign(alice, { nonce: 0, ...percent(109n) }),
    'replacement transaction underpriced',
  )
  const second = await send(cairn, await sign(alice, { nonce: 0, ...percent(110n) }))
  assert.equal(await ask(cairn, 'eth_getTransactionByHash', [first]), null)
  assert.deepEqual(await ask(cairn, 'txpool_status'), { pending: '0x1', queued: '0x0' })
  await ask(cairn, 'evm_mine')
  assert.partialDeepStrictEqual(await ask(cairn, 'eth_getTransactionByHash', [second]), {
    blockNumber: '0x1',
  })
})

test('with an interval blocks are mined automatically and include pending transactions', async (t) => {
  const cairn = await start(t, {
    CAIRN_CHAIN_MINING: 'interval',
    CAIRN_CHAIN_BLOCK_SECONDS: '1',
  })
  const hash = await send(cairn, await sign(alice, { nonce: 0 }))
  let receipt: unknown = null
  while (receipt === null) receipt = await ask(cairn, 'eth_getTransactionReceipt', [hash])
  assert.partialDeepStrictEqual(receipt, { status: '0x1' })
  const first = BigInt(String(await ask(cairn, 'eth_blockNumber')))
  let latest = first
  while (latest === first) latest = BigInt(String(await ask(cairn, 'eth_blockNumber')))
  assert.partialDeepStrictEqual(await ask(cairn, 'eth_getBlockByNumber', ['latest', false]), {
    transactions: [],
  })
})

test('with mining auto evm_mine mines an empty block', async (t) => {
  const cairn = await start(t, {})
  await ask(cairn, 'evm_mine')
  assert.equal(await ask(cairn, 'eth_blockNumber'), '0x1')
  await send(cairn, await sign(alice, { nonce: 0 }))
  assert.equal(await ask(cairn, 'eth_blockNumber'), '0x2')
})

test('the recorded transactions are pending, and the pool equals the recording', async (t) => {
  const cairn = await start(t, {
    CAIRN_CHAIN_MINING: 'off',
    CAIRN_CHAIN_GENESIS_FILE: join(chainFolder, 'genesis.json'),
    CAIRN_CHAIN_BLOCKS_FILE: join(chainFolder, 'chain.rlp'),
  })
  const replay = (...methods: string[]) =>
    replayTranscripts({
      folder: chainFolder,
      methods: new Set(methods),
      async post(body) {
        const { method, params } = JSON.parse(body) as { method: string; params?: unknown[] }
        const reply = await cairn.rpc(method, params ?? [])
        return { status: 200, text: JSON.stringify(reply) }
      },
    })
  const sent = await replay('eth_sendRawTransaction')
  assert.ok(sent.sent >= 2)
  assert.deepEqual(sent.failures, [])
  // Nonce 0, and nonces from 2, of one account: the nonce gap keeps the latter queued.
  const waiting = { pending: '0x1', queued: toQuantity(sent.sent - 1) }
  assert.deepEqual(await ask(cairn, 'txpool_status'), waiting)
  const shapes = await replay('txpool_status', 'txpool_content', 'txpool_contentFrom')
  assert.deepEqual([shapes.sent, shapes.failures], [3, []])

  const recorded = recordedContent()
  for (const [sender, nonce, transaction] of entriesOf(recorded)) {
    const { result, error } = await cairn.rpc('eth_sendRawTransaction', [rawOf(transaction)])
    const known = (error as { message?: string } | undefined)?.message === 'already known'
    assert.ok(known || result === transaction['hash'], `${sender} ${nonce}`)
  }
  assert.deepEqual(await ask(cairn, 'txpool_content'), {
    pending: recorded.pending,
    queued: recorded.queued,
  })
})

type Recorded = Readonly<Record<string, string>>
type ByNonce = Readonly<Record<string, Readonly<Record<string, Recorded>>>>
type Content = { readonly pending: ByNonce; readonly queued: ByNonce }

/** The recorded pool. */
function recordedContent(): Content {
  const transcript = readTranscripts(chainFolder).find(({ method }) => method === 'txpool_content')
  assert.ok(transcript !== undefined)
  const { result } = JSON.parse(transcript.response) as { result: Content }
  return result
}

function entriesOf({ pending }: Content): readonly (readonly [string, string, Recorded])[] {
  return Object.entries(pending).flatMap(([sender, byNonce]) =>
    Object.entries(byNonce).map(([nonce, it]) => [sender, nonce, it] as const),
  )
}

function rawOf(it: Recorded): string {
  const { type, nonce, gas, to, value, input, chainId, r = '', s = '', v = '0' } = it
  const fees =
    it['maxFeePerGas'] === undefined
      ? { gasPrice: it['gasPrice'] }
      : { maxFeePerGas: it['maxFeePerGas'], maxPriorityFeePerGas: it['maxPriorityFeePerGas'] }
  return Transaction.from({
    type: Number(type),
    nonce: Number(nonce),
    gasLimit: gas,
    to: to ?? null,
    value,
    data: input,
    chainId,
    ...fees,
    accessList: (it['accessList'] ?? null) as never,
    signature: { r, s, v: BigInt(v) },
  } as never).serialized
}
