import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Wallet } from 'ethers'
import { createChainCalls } from '../../../test/fakes/chain-calls.ts'
import { openChainDatabase } from '../../../test/fakes/chain-database.ts'
import { noOverrides } from '../../chain/computation.ts'
import type { DevOrder, DevResults } from '../../chain/dev-chain.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { decodeHeader, type Header } from '../../codec/ethereum/header.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { recoverSender } from '../../codec/ethereum/sender.ts'
import { stateChangesOf } from '../../codec/ethereum/state-change.ts'
import { decodeTransaction } from '../../codec/ethereum/transaction.ts'
import { equalBytes } from '../../base/hex.ts'
import { emptyTrieRoot } from '../../codec/ethereum/account-state.ts'
import { emptyRlpList } from '../../codec/ethereum/rlp.ts'
import type { BlockParts } from '../../codec/ethereum/block.ts'
import type { BlockId } from '../chain-index.ts'
import { defaultGenesis, sampleContractAddress } from '../default-genesis.ts'
import { devAccounts } from '../dev-accounts.ts'
import { findStart } from '../start-point.ts'
import { createCrypto } from '../../evm/chain-crypto.ts'
import { createRules } from '../../evm/chain-rules.ts'
import { Engine } from './engine.ts'
import { ProducingChain } from './producing-chain.ts'
import { createTrieDatabase } from './trie-database.ts'

const [alice, bob] = devAccounts.map(({ address }) => fromHex(address)) as [Uint8Array, Uint8Array]
const contract = fromHex(sampleContractAddress)
const stranger = fromHex('0x00000000219ab540356cbb839cbe05303d7705fa')
const word = (value: number) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)
const startMs = 1_800_000_000_000
const start = 1_800_000_000n

async function openChain(t: TestContext) {
  const database = openChainDatabase(t)
  const { store, index, log } = database
  await findStart({ network: 'test', genesis: defaultGenesis, store, index, log })
  const clock = { ms: startMs }
  const rewinds: { to: BlockId; removed: readonly BlockId[] }[] = []
  const pending: Uint8Array[] = []
  const open = () =>
    Engine.open({
      network: 'test',
      genesis: defaultGenesis,
      store,
      index,
      mining: 'auto',
      unlocked: devAccounts,
      now: () => clock.ms,
      onBlock: () => {},
      onRewind: (to, removed) => rewinds.push({ to, removed }),
      onPending: (hash) => pending.push(hash),
      log: silentLog,
    })
  let engine = await open()
  const { call } = createChainCalls({ genesis: defaultGenesis, store, index })
  const head = () => index.head() as BlockId
  return {
    ...database,
    clock,
    rewinds,
    call,
    head,
    get engine() {
      return engine
    },
    async restart() {
      engine = await open()
    },
    order: <Order extends DevOrder>(order: Order) =>
      engine.order(order) as Promise<DevResults[Order['kind']]>,
    header(): Header {
      const bytes = store.peek({ kind: 'header', hash: head().hash })
      assert.ok(bytes)
      return decodeHeader(bytes)
    },
    transactions(): Uint8Array[] {
      const { transactionsRoot } = this.header()
      const list = store.peek({ kind: 'transactions', hash: transactionsRoot })
      return list === null ? [] : decodeEntries(list)
    },
  }
}

type Chain = Awaited<ReturnType<typeof openChain>>

const transfer = (from: Uint8Array, value = 1n) => ({
  kind: 'send' as const,
  anySender: false,
  request: {
    from,
    to: bob,
    value,
    gas: 30_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 0n,
  },
})

/** The balance that the EVM reads in the head's state. */
async function balanceOf(chain: Chain, address: Uint8Array): Promise<bigint> {
  // BALANCE of the first word of the input, returned.
  const code = fromHex('0x5f35315f5260205ff3')
  const data = new Uint8Array(32)
  data.set(address, 12)
  const override = { ...noOverrides, state: [{ address: stranger, code }] }
  const answer = await chain.call({ to: stranger, data }, chain.head().hash, override)
  return BigInt(toHex(answer))
}

test('a change of accounts is in a new block that records it, with the time of its parent', async (t) => {
  const chain = await openChain(t)
  await chain.order({ kind: 'plan', blocks: { nextTimestamp: start + 100n } })
  const parent = chain.header()
  const changes = [
    { address: contract, balance: 7n, words: [{ slot: word(0), word: word(42) }] },
    { address: bob, nonce: 9n },
  ]
  const block = await chain.order({ kind: 'change', changes })
  assert.equal(block.number, 1n)
  assert.equal(chain.header().timestamp, parent.timestamp)
  assert.equal(chain.header().gasUsed, 0n)
  const answer = await chain.call({ to: contract }, block.hash)
  assert.equal(BigInt(toHex(answer)), 42n)
  assert.equal(await balanceOf(chain, contract), 7n)
  assert.equal(await chain.engine.pendingNonce(bob), 9n)
  const [recorded] = chain.transactions()
  assert.ok(recorded)
  const read = stateChangesOf(decodeTransaction(recorded))
  assert.deepEqual(read, [changes[0], { ...changes[1], words: [] }])
  // The planned time remains for the next block.
  await chain.engine.mine()
  assert.equal(chain.header().timestamp, start + 100n)
})

test('a nonce below the present one is refused if it must rise', async (t) => {
  const chain = await openChain(t)
  const change = (nonce: bigint) => ({
    kind: 'change' as const,
    changes: [{ address: bob, nonce }],
  })
  await chain.order(change(5n))
  await assert.rejects(chain.order({ ...change(4n), nonceRises: true }), {
    message: 'new nonce 4 is smaller than the existing nonce 5',
  })
  await chain.order({ ...change(5n), nonceRises: true })
  await chain.order(change(1n))
  assert.equal(await chain.engine.pendingNonce(bob), 1n)
})

test('an account that a change empties is gone from the state', async (t) => {
  const chain = await openChain(t)
  const before = chain.header().stateRoot
  await chain.order({ kind: 'change', changes: [{ address: stranger, balance: 1n }] })
  const changed = chain.header().stateRoot
  assert.notDeepEqual(changed, before)
  await chain.order({ kind: 'change', changes: [{ address: stranger, balance: 0n }] })
  await chain.order({ kind: 'change', changes: [{ address: stranger, code: Uint8Array.of(0x5f) }] })
  await chain.order({ kind: 'change', changes: [{ address: stranger, code: new Uint8Array(0) }] })
  const answer = await chain.call(
    // EXTCODEHASH of an address without an account: zero.
    { data: fromHex(`0x73${toHex(stranger).slice(2)}3f5f5260205ff3`) },
    chain.head().hash,
  )
  assert.equal(BigInt(toHex(answer)), 0n)
})

test('a chain of changes, impersonated and signed transactions executes again to the same roots', async (t) => {
  const chain = await openChain(t)
  await chain.order({ kind: 'change', changes: [{ address: contract, balance: 10n ** 18n }] })
  await chain.order({ kind: 'impersonate', address: contract, on: true })
  await chain.order(transfer(contract))
  await chain.order(transfer(alice))
  await chain.order({ kind: 'plan', blocks: { coinbase: stranger, gasLimit: 40_000_000n } })
  await chain.order({ kind: 'change', changes: [{ address: stranger, code: Uint8Array.of(0x5f) }] })
  await chain.engine.mine()
  const { store, index } = chain
  const other = openChainDatabase(t)
  const parts = { network: 'test', genesis: defaultGenesis, log: other.log }
  await findStart({ ...parts, store: other.store, index: other.index })
  const replayed = await ProducingChain.open({
    network: 'test',
    rules: createRules(defaultGenesis, createCrypto()),
    store: other.store,
    index: other.index,
    tries: createTrieDatabase(other.store),
    fork: null,
    now: () => 0,
  })
  for (let number = 1n; number <= chain.head().number; number += 1n) {
    const hash = index.hashOf(number)
    assert.ok(hash)
    const header = store.peek({ kind: 'header', hash })
    assert.ok(header)
    const { transactionsRoot } = decodeHeader(header)
    const transactions = equalBytes(transactionsRoot, emptyTrieRoot)
      ? emptyRlpList
      : store.peek({ kind: 'transactions', hash: transactionsRoot })
    assert.ok(transactions)
    const block: BlockParts = {
      header,
      transactions,
      uncles: emptyRlpList,
      withdrawals: emptyRlpList,
    }
    await replayed.replay(block, () => {})
  }
  await replayed.settle()
  assert.deepEqual(other.index.head(), chain.head())
})

test('an impersonated contract sends, and its transaction names it as the sender', async (t) => {
  const chain = await openChain(t)
  assert.equal(await chain.order({ kind: 'may-send', from: alice }), true)
  assert.equal(await chain.order({ kind: 'may-send', from: contract }), false)
  await assert.rejects(chain.order(transfer(contract)), {
    code: 'execution_failed',
    message: /^unknown account 0x295a70b2de5e3953354a6a8344e616ed314d7251: sign in the client/,
  })
  assert.equal(await chain.order({ kind: 'impersonate', address: contract, on: true }), true)
  await assert.rejects(chain.order(transfer(contract)), { message: /insufficient funds/ })
  const balance = 10n ** 18n
  await chain.order({ kind: 'change', changes: [{ address: contract, balance }] })
  const before = await balanceOf(chain, bob)
  const hash = await chain.order(transfer(contract, 5n))
  assert.equal((await balanceOf(chain, bob)) - before, 5n)
  const [raw] = chain.transactions()
  assert.ok(raw)
  assert.deepEqual(recoverSender(decodeTransaction(raw)), contract)
  assert.deepEqual(chain.index.locate(hash), { blockHash: chain.head().hash, index: 0 })
  // Only an order can send it: the same bytes from a client are refused.
  await assert.rejects(chain.engine.send(raw), {
    message: 'invalid sender: invalid transaction v, r, s values',
  })
  assert.equal(await chain.order({ kind: 'impersonate', address: contract, on: false }), true)
  assert.equal(await chain.order({ kind: 'impersonate', address: contract, on: false }), false)
  await assert.rejects(chain.order(transfer(contract)), { message: /^unknown account/ })
  await chain.order({ kind: 'impersonate', address: null, on: true })
  await chain.order(transfer(contract))
})

test('a block has no time that clients cannot read, and the chain goes on', async (t) => {
  const chain = await openChain(t)
  const late = 2n ** 53n
  const beyond = { message: /is later than the last possible time 9007199254740991$/ }
  const plan = (blocks: object) => chain.order({ kind: 'plan', blocks })
  await assert.rejects(plan({ nextTimestamp: late }), beyond)
  await assert.rejects(chain.order({ kind: 'increase-time', seconds: late }), beyond)
  await assert.rejects(chain.order({ kind: 'set-time', time: late }), beyond)
  const { number } = chain.head()
  const advice = { message: /: use a smaller interval, evm_revert or hardhat_reset$/ }
  await assert.rejects(chain.order({ kind: 'mine', blocks: 2, interval: late }), advice)
  assert.equal(chain.head().number, number + 1n)
  await plan({ timestampInterval: late })
  await assert.rejects(chain.engine.mine(), advice)
  await plan({ timestampInterval: null })
  await chain.engine.mine()
  assert.equal(chain.head().number, number + 2n)
})

test('a development account sends with its own signature', async (t) => {
  const chain = await openChain(t)
  await chain.order(transfer(alice))
  const [raw] = chain.transactions()
  const wallet = new Wallet(devAccounts[0]?.privateKey ?? '')
  assert.ok(raw)
  assert.equal(toHex(recoverSender(decodeTransaction(raw))), wallet.address.toLowerCase())
  assert.notEqual(decodeTransaction(raw).s, BigInt(wallet.address))
})

test('a revert goes back to the block, the plan and the pool of the snapshot, and ends later ones', async (t) => {
  const chain = await openChain(t)
  await chain.engine.mine()
  await chain.order({ kind: 'plan', mining: { auto: false } })
  const waiting = await chain.order(transfer(alice))
  const at = chain.head()
  const first = await chain.order({ kind: 'snapshot' })
  const second = await chain.order({ kind: 'snapshot' })
  assert.deepEqual([first, second], [1n, 2n])
  await chain.order({ kind: 'plan', blocks: { coinbase: stranger } })
  await chain.engine.mine()
  await chain.order({ kind: 'change', changes: [{ address: contract, balance: 1n }] })
  const removedHashes = [chain.index.hashOf(3n), chain.index.hashOf(2n)]
  assert.deepEqual(chain.engine.pendingTransaction(waiting), null)

  assert.equal(await chain.order({ kind: 'revert', snapshot: first }), true)
  assert.deepEqual(chain.head(), at)
  assert.deepEqual(chain.rewinds, [
    { to: at, removed: removedHashes.map((hash, ago) => ({ number: 3n - BigInt(ago), hash })) },
  ])
  assert.equal(chain.index.locate(waiting), null)
  assert.notEqual(chain.engine.pendingTransaction(waiting), null)
  const { blocks, mining } = await chain.order({ kind: 'state' })
  assert.equal(blocks.coinbase, null)
  assert.equal(mining.auto, false)
  assert.equal(await balanceOf(chain, contract), 0n)
  for (const snapshot of [first, second, 9n]) {
    assert.equal(await chain.order({ kind: 'revert', snapshot }), false)
  }
  await chain.engine.mine()
  assert.equal(chain.head().number, 2n)
  assert.ok(chain.index.locate(waiting))
})

test('time after a revert goes on from the snapshot', async (t) => {
  const chain = await openChain(t)
  await chain.order({ kind: 'increase-time', seconds: 1000n })
  const snapshot = await chain.order({ kind: 'snapshot' })
  await chain.order({ kind: 'increase-time', seconds: 5000n })
  chain.clock.ms += 60_000
  await chain.engine.mine()
  assert.equal(chain.header().timestamp, start + 6060n)
  await chain.order({ kind: 'revert', snapshot })
  await chain.engine.mine()
  assert.equal(chain.header().timestamp, start + 1000n)
})

test('times, fees and randomness that were set hold for the next block, the rest for all', async (t) => {
  const chain = await openChain(t)
  const nextPrevRandao = word(77)
  const blocks = {
    nextTimestamp: start + 500n,
    nextBaseFee: 5n,
    nextPrevRandao,
    coinbase: stranger,
    gasLimit: 12_345_678n,
  }
  await chain.order({ kind: 'plan', blocks })
  await chain.engine.mine()
  const one = chain.header()
  assert.equal(one.timestamp, start + 500n)
  assert.equal(one.baseFeePerGas, 5n)
  assert.deepEqual(one.mixHash, nextPrevRandao)
  chain.clock.ms += 2000
  await chain.engine.mine()
  const two = chain.header()
  assert.equal(two.timestamp, start + 502n)
  assert.notDeepEqual(two.mixHash, nextPrevRandao)
  for (const header of [one, two]) {
    assert.equal(header.gasLimit, 12_345_678n)
    assert.deepEqual(header.miner, stranger)
  }
  await assert.rejects(chain.order({ kind: 'plan', blocks: { nextTimestamp: two.timestamp } }), {
    message: `timestamp ${two.timestamp} is not later than the latest block, whose time is ${two.timestamp}`,
  })
})

test('blocks are made an interval apart, and later ones go on from there', async (t) => {
  const chain = await openChain(t)
  const last = await chain.order({ kind: 'mine', blocks: 5, interval: 60n })
  assert.equal(last.number, 5n)
  assert.equal(chain.header().timestamp, start + 240n)
  await chain.order({ kind: 'plan', blocks: { timestampInterval: 12n } })
  await chain.order({ kind: 'mine', blocks: 2, interval: null })
  assert.equal(chain.header().timestamp, start + 264n)
  await chain.order({ kind: 'plan', blocks: { timestampInterval: null } })
  chain.clock.ms += 5000
  await chain.order({ kind: 'set-time', time: start + 9000n })
  await chain.engine.mine()
  assert.equal(chain.header().timestamp, start + 9000n)
})

test('the plan survives a restart, snapshots and impersonation do not', async (t) => {
  const chain = await openChain(t)
  await chain.order({ kind: 'increase-time', seconds: 100n })
  await chain.order({ kind: 'plan', mining: { auto: false, intervalMs: 5000 } })
  await chain.order({ kind: 'impersonate', address: contract, on: true })
  const snapshot = await chain.order({ kind: 'snapshot' })
  const before = await chain.order({ kind: 'state' })
  await chain.restart()
  const { instanceId, ...state } = await chain.order({ kind: 'state' })
  assert.deepEqual(state.mining, { auto: false, intervalMs: 5000 })
  assert.equal(state.blocks.offset, 100n)
  assert.notDeepEqual(instanceId, before.instanceId)
  assert.equal(await chain.order({ kind: 'revert', snapshot }), false)
  await assert.rejects(chain.order(transfer(contract)), { message: /^unknown account/ })
})

test('a reset goes back to the first block and the settings of the network', async (t) => {
  const chain = await openChain(t)
  const first = chain.head()
  await chain.order({ kind: 'plan', blocks: { coinbase: stranger }, mining: { auto: false } })
  await chain.order({ kind: 'mine', blocks: 3, interval: null })
  await chain.order(transfer(alice))
  await chain.order({ kind: 'reset' })
  assert.deepEqual(chain.head(), first)
  assert.deepEqual(await chain.engine.poolCounts(), { pending: 0, queued: 0 })
  const { mining, blocks } = await chain.order({ kind: 'state' })
  assert.deepEqual(mining, { auto: true, intervalMs: null })
  assert.equal(blocks.coinbase, null)
  await chain.order(transfer(alice))
  assert.equal(chain.head().number, 1n)
})

test('transactions are dropped by hash, by sender, or all', async (t) => {
  const chain = await openChain(t)
  await chain.order({ kind: 'plan', mining: { auto: false } })
  const one = await chain.order(transfer(alice))
  await chain.order(transfer(alice))
  await chain.order(transfer(bob))
  assert.equal(await chain.order({ kind: 'drop', hash: one }), 1)
  assert.equal(await chain.order({ kind: 'drop', hash: one }), 0)
  assert.equal(await chain.order({ kind: 'drop', sender: alice }), 1)
  assert.equal(await chain.order({ kind: 'drop' }), 1)
  assert.deepEqual(await chain.engine.poolCounts(), { pending: 0, queued: 0 })
})

test('snapshots and impersonated accounts are bounded', async (t) => {
  const chain = await openChain(t)
  const oldest = await chain.order({ kind: 'snapshot' })
  const second = await chain.order({ kind: 'snapshot' })
  for (let snapshots = 0; snapshots < 1023; snapshots += 1) await chain.order({ kind: 'snapshot' })
  assert.equal(await chain.order({ kind: 'revert', snapshot: oldest }), false)
  assert.equal(await chain.order({ kind: 'revert', snapshot: second }), true)
  const nth = (at: number) => word(at + 1).subarray(12)
  for (let at = 0; at < 4096; at += 1) {
    await chain.order({ kind: 'impersonate', address: nth(at), on: true })
  }
  await assert.rejects(chain.order({ kind: 'impersonate', address: nth(5000), on: true }), {
    message: /^4096 accounts are impersonated: stop one first/,
  })
})
