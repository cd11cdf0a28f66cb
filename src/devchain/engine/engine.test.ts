import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { AbiCoder, Transaction, Wallet } from 'ethers'
import type { TransactionRequest } from 'ethers'
import { createChainCalls } from '../../../test/fakes/chain-calls.ts'
import { openChainDatabase } from '../../../test/fakes/chain-database.ts'
import { Fault } from '../../base/fault.ts'
import { fromHex, toBareHex, toHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { decodeAccountState } from '../../codec/ethereum/account-state.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { decodeReceipt } from '../../codec/ethereum/receipt.ts'
import { type RlpItem, decodeRlp, encodeInteger, encodeRlp } from '../../codec/ethereum/rlp.ts'
import { contractAddress } from '../../codec/ethereum/sender.ts'
import { decodeTransaction } from '../../codec/ethereum/transaction.ts'
import { decodeTrieNode, stepThrough, toNibbles } from '../../codec/ethereum/trie-node.ts'
import { verifyKeccakKinds } from '../../codec/hash/verify-keccak.ts'
import type { LocalStore } from '../../content/block-store.ts'
import type { BlockId } from '../chain-index.ts'
import { defaultGenesis, sampleContractAddress } from '../default-genesis.ts'
import { devAccounts } from '../dev-accounts.ts'
import { findStart } from '../start-point.ts'
import { Engine } from './engine.ts'

const wallets = devAccounts.map(({ privateKey }) => new Wallet(privateKey))
const [alice, bob, carol] = wallets as [Wallet, Wallet, Wallet]
const gwei = 1_000_000_000n

async function openEngine(
  t: TestContext,
  options: { mining?: 'auto' | 'off'; wrap?: (store: LocalStore) => LocalStore } = {},
) {
  const database = openChainDatabase(t)
  const { index, log } = database
  const store = options.wrap?.(database.store) ?? database.store
  const blocks: BlockId[] = [
    await findStart({
      network: 'test',
      genesis: defaultGenesis,
      store: database.store,
      index,
      log,
    }),
  ]
  const pending: Uint8Array[] = []
  const open = () =>
    Engine.open({
      network: 'test',
      genesis: defaultGenesis,
      store,
      index,
      mining: options.mining ?? 'auto',
      now: () => 1_800_000_000_000,
      onBlock: (block) => blocks.push(block),
      onPending: (hash) => pending.push(hash),
      log: silentLog,
    })
  const { call, estimateGas } = createChainCalls({ genesis: defaultGenesis, store, index })
  const engine = await open()
  return { ...database, store, blocks, pending, open, call, estimateGas, engine }
}

/** A BlockStore in which the commits selected by `fails` (numbered from 1) fail for lack of space. */
function failing(fails: (commit: number) => boolean): (store: LocalStore) => LocalStore {
  let commits = 0
  return (store) => ({
    ...store,
    put: async (items, rows) => {
      commits += 1
      if (fails(commits)) throw new Fault('no_space')
      return store.put(items, rows)
    },
  })
}

async function sign(wallet: Wallet, request: TransactionRequest): Promise<Uint8Array> {
  const fees =
    request.type === 0 || request.type === 1
      ? { gasPrice: 2n * gwei }
      : { maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: gwei }
  return fromHex(
    await wallet.signTransaction({ chainId: 1337, gasLimit: 100_000, ...fees, ...request }),
  )
}

/** A block's header, transactions and receipts, each read from the store and verified. */
function readBlock(store: LocalStore, hash: Uint8Array) {
  const verified = (kind: 'header' | 'transactions' | 'receipts', name: Uint8Array) => {
    const bytes = store.peek({ kind, hash: name })
    assert.ok(bytes, kind)
    verifyKeccakKinds({ kind, hash: name }, bytes)
    return bytes
  }
  const header = decodeHeader(verified('header', hash))
  return {
    header,
    transactions: decodeEntries(verified('transactions', header.transactionsRoot)),
    receipts: decodeEntries(verified('receipts', header.receiptsRoot)).map(decodeReceipt),
  }
}

/** Balance by our own trie walk, each node verified; 0 if the account does not exist. */
function balanceAt(store: LocalStore, stateRoot: Uint8Array, address: string): bigint {
  let hash = stateRoot
  let rest = toNibbles(keccak256(fromHex(address)))
  for (;;) {
    const bytes = store.peek({ kind: 'trie-node', hash })
    assert.ok(bytes)
    verifyKeccakKinds({ kind: 'trie-node', hash }, bytes)
    const step = stepThrough(decodeTrieNode(bytes), rest)
    if (step === 'absent') return 0n
    if ('value' in step) return decodeAccountState(step.value).balance
    hash = step.next
    rest = step.rest
  }
}

function listOf(typed: Uint8Array): readonly RlpItem[] {
  const item = decodeRlp(typed.subarray(1))
  assert.ok(!(item instanceof Uint8Array))
  return item
}

const refusal = (detail: RegExp) => (error: unknown) =>
  error instanceof Fault && error.code === 'pool_refused' && detail.test(error.message)

const zeroBlob = new Uint8Array(131_072)
const infinity = fromHex(`0xc0${'00'.repeat(47)}`)

test('each transaction of types 0 to 4 makes one block whose parts verify', async (t) => {
  const { engine, call, store, blocks } = await openEngine(t)
  const to = bob.address
  const blob = { data: zeroBlob, commitment: infinity, proof: infinity }
  const blobFee = { maxFeePerBlobGas: gwei }
  const cells = {
    ...blob,
    proof: new Uint8Array(Array.from({ length: 128 }, () => [...infinity]).flat()),
  }
  const authorization = await alice.authorize({
    address: sampleContractAddress,
    chainId: 1337,
    nonce: 6,
  })
  const requests: TransactionRequest[] = [
    { type: 0, to, value: 1 },
    { type: 1, to, value: 1, accessList: [{ address: to, storageKeys: [] }] },
    { type: 2, to, value: 1 },
    { type: 3, to, blobs: [blob], ...blobFee },
    { type: 3, to, blobs: [cells], blobWrapperVersion: 1, ...blobFee },
    { type: 4, to: alice.address, authorizationList: [authorization] },
  ]
  for (const [nonce, request] of requests.entries()) {
    const raw = await sign(alice, { nonce, ...request })
    const hash = await engine.send(raw)
    const block = blocks.at(-1)
    assert.ok(block)
    assert.equal(block.number, BigInt(nonce) + 1n)
    const { transactions, receipts, header } = readBlock(store, block.hash)
    assert.equal(transactions.length, 1)
    assert.deepEqual(keccak256(transactions[0] ?? raw), hash)
    assert.equal(toHex(hash), Transaction.from(toHex(raw)).hash)
    assert.equal(decodeTransaction(transactions[0] ?? raw).type, request.type)
    assert.equal(receipts[0]?.status, true)
    assert.deepEqual(header.parentHash, blocks.at(-2)?.hash)
  }
  // The account's code is now that of the sample contract: the authorization took effect.
  const head = blocks.at(-1)?.hash ?? new Uint8Array(32)
  assert.equal(await engine.pendingNonce(fromHex(alice.address)), 7n)
  const answer = await call({ to: fromHex(alice.address) }, head)
  assert.equal(BigInt(toHex(answer)), 0n)
  assert.equal(toHex(await engine.send(await sign(alice, { nonce: 7, type: 2, to }))).length, 66)
})

test('a wrong or missing sidecar is refused', async (t) => {
  const { engine } = await openEngine(t)
  const blob = { data: zeroBlob.slice().fill(1, 5, 6), commitment: infinity, proof: infinity }
  const request = { type: 3, nonce: 0, to: bob.address, maxFeePerBlobGas: gwei }
  const wrong = await sign(alice, { ...request, blobs: [blob] })
  const text = /^invalid blob sidecar: blobs, commitments and proofs do not fit each other$/
  await assert.rejects(engine.send(wrong), refusal(text))
  const few = {
    data: zeroBlob,
    commitment: infinity,
    proof: fromHex(toHex(infinity) + toBareHex(infinity).repeat(126)),
  }
  const short = await sign(alice, { ...request, blobs: [few], blobWrapperVersion: 1 })
  await assert.rejects(engine.send(short), refusal(text))
  const bare = await sign(alice, { ...request, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] })
  await assert.rejects(engine.send(bare), refusal(/^missing sidecar/))
})

test('the balance at every block stays readable', async (t) => {
  const { engine, store, blocks } = await openEngine(t)
  for (let nonce = 0; nonce < 6; nonce += 1) {
    await engine.send(await sign(alice, { nonce, type: 2, to: bob.address, value: 1000 }))
  }
  const start = 10_000n * 10n ** 18n
  for (const { number, hash } of blocks) {
    const header = store.peek({ kind: 'header', hash })
    assert.ok(header)
    const { stateRoot } = decodeHeader(header)
    assert.equal(balanceAt(store, stateRoot, bob.address), start + 1000n * number)
  }
})

/** Init code that deploys `runtime` (hex, under 256 bytes). */
function deployable(runtime: string): string {
  const length = (runtime.length / 2).toString(16).padStart(2, '0')
  // PUSH1 length DUP1 PUSH1 9 PUSH0 CODECOPY PUSH0 RETURN
  return `0x60${length}8060095f395ff3${runtime}`
}

test('contracts deploy, run, estimate and revert as geth would say it', async (t) => {
  const { engine, call, estimateGas, store, blocks } = await openEngine(t)
  const head = () => blocks.at(-1)?.hash ?? new Uint8Array(32)
  // CALLDATASIZE PUSH1 7 JUMPI STOP STOP STOP JUMPDEST CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY CALLDATASIZE PUSH0 REVERT
  const reverting = deployable('36600757000000' + '5b365f5f37365ffd')
  await engine.send(await sign(alice, { nonce: 0, type: 2, data: reverting }))
  const to = contractAddress(fromHex(alice.address), 0n)
  const from = fromHex(alice.address)
  assert.equal((await call({ to }, head())).length, 0)
  const reason = `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], ['user error']).slice(2)}`
  const panic = `0x4e487b71${AbiCoder.defaultAbiCoder().encode(['uint256'], [0x11]).slice(2)}`
  const cases: [string, string][] = [
    [reason, 'execution reverted: user error'],
    [panic, 'execution reverted: arithmetic underflow or overflow'],
    ['0x01020304', 'execution reverted'],
  ]
  for (const [data, message] of cases) {
    const expected = { code: 'reverted', message, data }
    await assert.rejects(call({ to, data: fromHex(data) }, head()), expected)
    await assert.rejects(estimateGas({ from, to, data: fromHex(data) }, head()), expected)
  }
  await assert.rejects(call({ data: fromHex('0xfe') }, head()), {
    code: 'execution_failed',
    message: 'invalid opcode: INVALID',
  })
  await assert.rejects(call({ to, gas: 100n }, head()), /^Fault: intrinsic gas too low/)
  await assert.rejects(call({ data: fromHex('0x5b5f56'), gas: 100_000n }, head()), {
    message: 'out of gas',
  })
  // A reverted transaction is still included in a block.
  const failing = await sign(alice, { nonce: 1, type: 2, to: toHex(to), data: '0x01020304' })
  await engine.send(failing)
  assert.equal(readBlock(store, head()).receipts[0]?.status, false)
})

test('an estimate is the least gas that works', async (t) => {
  const { call, estimateGas, blocks } = await openEngine(t)
  const hash = blocks[0]?.hash ?? new Uint8Array(32)
  const from = fromHex(alice.address)
  const transfer = { from, to: fromHex(bob.address), value: 1n }
  assert.equal(await estimateGas(transfer, hash), 21_000n)
  const request = { from, to: fromHex(sampleContractAddress) }
  const gas = await estimateGas(request, hash)
  await call({ ...request, gas }, hash)
  await assert.rejects(call({ ...request, gas: gas - 1n }, hash), { message: 'out of gas' })
  await assert.rejects(
    estimateGas({ ...transfer, value: 10n ** 30n }, hash),
    /insufficient funds for gas \* price \+ value/,
  )
})

test('a call sees the state of its block, may speak for a contract, and changes nothing', async (t) => {
  const { engine, call, blocks } = await openEngine(t)
  const genesis = blocks[0]?.hash ?? new Uint8Array(32)
  const sample = fromHex(sampleContractAddress)
  assert.equal(BigInt(toHex(await call({ to: sample }, genesis))), 1234n)
  assert.equal(BigInt(toHex(await call({ from: sample, to: sample }, genesis))), 1234n)
  // Init code that returns the BALANCE of bob.
  const balanceOfBob = fromHex(`0x73${bob.address.slice(2)}315f5260205ff3`)
  const before = await call({ data: balanceOfBob }, genesis)
  await engine.send(await sign(alice, { nonce: 0, type: 2, to: bob.address, value: 5 }))
  const head = blocks[1]?.hash ?? genesis
  assert.deepEqual(await call({ data: balanceOfBob }, genesis), before)
  assert.equal(BigInt(toHex(await call({ data: balanceOfBob }, head))) - BigInt(toHex(before)), 5n)
  const paid = { from: fromHex(alice.address), to: fromHex(bob.address), value: 7n }
  await call(paid, head)
  assert.equal(await engine.pendingNonce(paid.from), 1n)
  assert.equal(BigInt(toHex(await call({ data: balanceOfBob }, head))) - BigInt(toHex(before)), 5n)
  await assert.rejects(call({ to: sample }, new Uint8Array(32)), { code: 'unknown_block' })
  await assert.rejects(
    call({ to: sample, value: 1n }, head),
    /insufficient funds for gas \* price \+ value: address 0x0000000000000000000000000000000000000000 have 0 want 1/,
  )
})

test('transactions that cannot run are refused with the words that clients match', async (t) => {
  const { engine } = await openEngine(t)
  const to = bob.address
  await engine.send(await sign(alice, { nonce: 0, type: 2, to }))
  const refusals: [TransactionRequest, RegExp][] = [
    [{ nonce: 0, type: 2, to }, /^nonce too low/],
    [{ nonce: 1, type: 2, to, value: 10n ** 30n }, /^insufficient funds for gas \* price \+ value/],
    [{ nonce: 1, type: 2, to, gasLimit: 20_000 }, /^intrinsic gas too low/],
    [
      { nonce: 1, type: 2, to, maxFeePerGas: 1, maxPriorityFeePerGas: 0 },
      /^max fee per gas less than block base fee/,
    ],
    [
      { nonce: 1, type: 2, to, gasLimit: 16_777_217 },
      /^transaction gas limit too high \(cap: 16777216/,
    ],
    [{ nonce: 1, type: 2, to, chainId: 1 }, /invalid chain id for signer: have 1 want 1337/],
    [{ nonce: 1, type: 0, to, chainId: 0 }, /only replay-protected \(EIP-155\) transactions/],
  ]
  for (const [request, text] of refusals) {
    await assert.rejects(engine.send(await sign(alice, request)), refusal(text), String(text))
  }
  await assert.rejects(engine.send(fromHex('0xc0')), refusal(/^rlp: /))
  await assert.rejects(engine.send(fromHex('0x7ec0')), refusal(/^transaction type not supported/))
  const items = [...listOf(await sign(alice, { nonce: 1, type: 2, to }))]
  items[2] = encodeInteger(5n * gwei)
  await assert.rejects(
    engine.send(new Uint8Array([2, ...encodeRlp(items)])),
    refusal(/^max priority fee per gas higher than max fee per gas$/),
  )
  const signed = await sign(carol, { nonce: 0, type: 2, to })
  const forged = Transaction.from(toHex(signed)).clone()
  forged.signature = { r: `0x${'ff'.repeat(32)}`, s: `0x${'00'.repeat(31)}01`, v: 27 }
  await assert.rejects(engine.send(fromHex(forged.serialized)), refusal(/^invalid sender/))
  await engine.send(await sign(alice, { nonce: 1, type: 2, to }))
})

test('a nonce gap waits, can be replaced for more, and is mined once the gap is filled', async (t) => {
  const { engine, blocks } = await openEngine(t)
  const address = fromHex(alice.address)
  const request = { nonce: 1, type: 2, to: bob.address }
  const waiting = await sign(alice, request)
  const hash = await engine.send(waiting)
  assert.equal(blocks.length, 1)
  assert.deepEqual(engine.pendingTransaction(hash), waiting)
  await assert.rejects(engine.send(waiting), refusal(/^already known$/))
  const same = await sign(alice, { ...request, value: 1 })
  await assert.rejects(engine.send(same), refusal(/^replacement transaction underpriced$/))
  const more = { maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: 2n * gwei }
  const better = await engine.send(await sign(alice, { ...request, ...more }))
  assert.equal(engine.pendingTransaction(hash), null)
  assert.equal(await engine.pendingNonce(address), 0n)
  await engine.send(await sign(alice, { nonce: 0, type: 2, to: bob.address }))
  assert.equal(blocks.length, 3)
  assert.equal(engine.pendingTransaction(better), null)
  assert.equal(await engine.pendingNonce(address), 2n)
})

test('what waits behind a gap does not stand in the way of what fills it', async (t) => {
  const { engine } = await openEngine(t)
  const most = 9_990n * 10n ** 18n
  await engine.send(await sign(alice, { nonce: 1, type: 2, to: bob.address, value: most }))
  await engine.send(await sign(alice, { nonce: 0, type: 2, to: bob.address, value: 10n ** 20n }))
  // The balance no longer covers the second one.
  assert.equal(await engine.pendingNonce(fromHex(alice.address)), 1n)
  assert.deepEqual(await engine.poolCounts(), { pending: 0, queued: 0 })
})

test('with mining off everything waits, and the pending nonce counts it', async (t) => {
  const { engine, blocks } = await openEngine(t, { mining: 'off' })
  for (let nonce = 0; nonce < 256; nonce += 1) {
    await engine.send(await sign(alice, { nonce, type: 2, to: bob.address }))
  }
  assert.equal(blocks.length, 1)
  assert.equal(await engine.pendingNonce(fromHex(alice.address)), 256n)
  const all = decodeEntries((await engine.pendingBlock()).transactions)
  assert.equal(all.length, 256)
  const one = await sign(alice, { nonce: 256, type: 2, to: bob.address })
  await assert.rejects(engine.send(one), refusal(/^account limit exceeded$/))
})

test('after a commit that failed the same transaction goes through', async (t) => {
  const wrap = failing((commit) => commit === 1)
  const { engine, blocks, store } = await openEngine(t, { wrap })
  const raw = await sign(alice, { nonce: 0, type: 2, to: bob.address, value: 9 })
  await assert.rejects(engine.send(raw), { code: 'no_space' })
  assert.equal(await engine.pendingNonce(fromHex(alice.address)), 0n)
  await engine.send(raw)
  const block = blocks.at(-1)
  assert.equal(block?.number, 1n)
  const { header } = readBlock(store, block?.hash ?? new Uint8Array(32))
  assert.equal(balanceAt(store, header.stateRoot, bob.address), 10_000n * 10n ** 18n + 9n)
})

test('what a failed replacement would have replaced waits on', async (t) => {
  const wrap = failing((commit) => commit > 1)
  const { engine } = await openEngine(t, { wrap })
  const to = bob.address
  const hash = await engine.send(await sign(alice, { nonce: 1, type: 2, to }))
  await engine.send(await sign(alice, { nonce: 0, type: 2, to }))
  const better = { maxFeePerGas: 9n * gwei, maxPriorityFeePerGas: 8n * gwei }
  await assert.rejects(engine.send(await sign(alice, { nonce: 1, type: 2, to, ...better })), {
    code: 'no_space',
  })
  assert.notEqual(engine.pendingTransaction(hash), null)
  assert.deepEqual(await engine.poolCounts(), { pending: 1, queued: 0 })
})

test('one that waited and is mined as it is sent again is announced once', async (t) => {
  const { engine, pending } = await openEngine(t, { wrap: failing((commit) => commit === 2) })
  const waiting = await sign(alice, { nonce: 1, type: 2, to: bob.address })
  const second = await engine.send(waiting)
  const first = await engine.send(await sign(alice, { nonce: 0, type: 2, to: bob.address }))
  assert.deepEqual(pending, [first])
  await engine.send(waiting)
  assert.deepEqual(pending, [first, second])
})

test('a waiting transaction whose commit fails waits on, and sending it again mines it', async (t) => {
  const { engine, blocks } = await openEngine(t, { wrap: failing((commit) => commit === 2) })
  const to = bob.address
  const waiting = await sign(alice, { nonce: 1, type: 2, to, value: 1n })
  const hash = await engine.send(waiting)
  await engine.send(await sign(alice, { nonce: 0, type: 2, to, value: 1n }))
  assert.equal(blocks.length, 2)
  assert.notEqual(engine.pendingTransaction(hash), null)
  assert.deepEqual(await engine.send(waiting), hash)
  assert.equal(blocks.length, 3)
  assert.equal(engine.pendingTransaction(hash), null)
})

test('an engine opened again goes on at the durable head', async (t) => {
  const { engine, blocks, open } = await openEngine(t)
  await engine.send(await sign(alice, { nonce: 0, type: 2, to: bob.address }))
  const again = await open()
  assert.equal(await again.pendingNonce(fromHex(alice.address)), 1n)
  await again.send(await sign(alice, { nonce: 1, type: 2, to: bob.address }))
  assert.equal(blocks.at(-1)?.number, 2n)
})

test('an account with a full queue can still send the transaction the queue waits for', async (t) => {
  const { engine, blocks } = await openEngine(t)
  const send = async (nonce: number) =>
    engine.send(await sign(alice, { nonce, to: bob.address, gasLimit: 21_000 }))
  for (let nonce = 256; nonce > 0; nonce -= 1) await send(nonce)
  await assert.rejects(send(257), { code: 'pool_refused', message: 'account limit exceeded' })
  await send(0)
  assert.equal(blocks.at(-1)?.number, 257n)
})

test('a block takes what pays more first, each sender in order, and lists its hashes once', async (t) => {
  const { engine, blocks, store, pending } = await openEngine(t, { mining: 'off' })
  const to = bob.address
  const tip = (gweis: bigint) => ({ maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: gweis * gwei })
  const send = async (wallet: Wallet, request: TransactionRequest) =>
    toHex(await engine.send(await sign(wallet, { type: 2, to, ...request })))
  const second = await send(alice, { nonce: 1, ...tip(9n) })
  assert.equal(pending.length, 0)
  const first = await send(alice, { nonce: 0, ...tip(2n) })
  const high = await send(carol, { nonce: 0, ...tip(5n) })
  const early = await send(bob, { nonce: 0, ...tip(2n) })
  const afterGap = await send(bob, { nonce: 2, ...tip(9n) })
  assert.deepEqual(pending.map(toHex), [first, second, high, early])
  assert.deepEqual(await engine.poolCounts(), { pending: 4, queued: 1 })
  const content = await engine.poolContent(fromHex(bob.address))
  const hashes = (list: readonly { raw: Uint8Array }[]) =>
    list.map(({ raw }) => toHex(keccak256(raw)))
  assert.deepEqual(hashes(content.pending), [early])
  assert.deepEqual(hashes(content.queued), [afterGap])

  const block = await engine.mine()
  assert.deepEqual(blocks.at(-1), block)
  const { transactions, receipts } = readBlock(store, block.hash)
  assert.deepEqual(
    transactions.map((raw) => toHex(keccak256(raw))),
    [high, first, second, early],
  )
  assert.equal(receipts.at(-1)?.cumulativeGasUsed, 4n * 21_000n)
  assert.deepEqual(await engine.poolCounts(), { pending: 0, queued: 1 })
  assert.equal(pending.length, 4)
})

test('one that cannot run any more is dropped and the block goes on', async (t) => {
  const { engine, store } = await openEngine(t, { mining: 'off' })
  const to = bob.address
  const high = { maxFeePerGas: 9n * gwei, maxPriorityFeePerGas: 8n * gwei }
  await engine.send(await sign(carol, { nonce: 0, type: 2, to, value: 1n }))
  await engine.send(await sign(bob, { nonce: 0, type: 2, to }))
  // Carol's authorization uses her nonce before her own transaction runs.
  const authorization = await carol.authorize({
    address: sampleContractAddress,
    chainId: 1337,
    nonce: 0,
  })
  const authorized = { nonce: 0, type: 4, to, authorizationList: [authorization], ...high }
  await engine.send(await sign(alice, authorized))
  const { hash } = await engine.mine()
  const senders = readBlock(store, hash).transactions.map(
    (raw) => Transaction.from(toHex(raw)).from,
  )
  assert.deepEqual(senders, [alice.address, bob.address])
  assert.deepEqual(await engine.poolCounts(), { pending: 0, queued: 0 })
})

test('what does not fit into a block waits for the next', async (t) => {
  const { engine, store } = await openEngine(t, { mining: 'off' })
  for (const wallet of [alice, bob, carol]) {
    for (const nonce of [0, 1]) {
      // An invalid instruction burns all of its gas: three of these fill the 60 million of a block.
      const request = { nonce, type: 2, data: '0xfe', gasLimit: 16_000_000 }
      await engine.send(await sign(wallet, request))
    }
  }
  for (const waiting of [3, 0]) {
    const { hash } = await engine.mine()
    assert.equal(readBlock(store, hash).transactions.length, 3)
    assert.equal((await engine.poolCounts()).pending, waiting)
  }
})

test('a block is made without transactions, and the block to come can be looked at', async (t) => {
  const { engine, blocks } = await openEngine(t)
  const { number } = await engine.mine()
  assert.equal(number, 1n)
  const empty = decodeHeader((await engine.pendingBlock()).header)
  assert.equal(empty.number, 2n)
  assert.equal(empty.gasUsed, 0n)
  assert.deepEqual(empty.parentHash, blocks.at(-1)?.hash)
  assert.equal(await engine.pendingBlock(), await engine.pendingBlock())
  await engine.send(await sign(alice, { nonce: 0, type: 2, to: bob.address }))
  const after = decodeHeader((await engine.pendingBlock()).header)
  assert.equal(after.number, 3n)
})

test('the block to come is the block that is then made', async (t) => {
  const { engine, store } = await openEngine(t, { mining: 'off' })
  await engine.send(await sign(alice, { nonce: 0, type: 2, to: bob.address }))
  const { header } = await engine.pendingBlock()
  await engine.send(await sign(alice, { nonce: 1, type: 2, to: bob.address }))
  const two = await engine.pendingBlock()
  assert.notDeepEqual(two.header, header)
  const { hash } = await engine.mine()
  assert.deepEqual(store.peek({ kind: 'header', hash }), two.header)
})

test('one that was priced out is mined once another block has lowered the price', async (t) => {
  const { engine, blocks } = await openEngine(t)
  const to = bob.address
  const fee = (value: bigint) => ({ maxFeePerGas: value, maxPriorityFeePerGas: 0 })
  // The base fees of the first blocks: 875, 765, 670 million wei.
  await engine.send(await sign(alice, { nonce: 1, type: 2, to, ...fee(700_000_000n) }))
  await engine.send(await sign(alice, { nonce: 0, type: 2, to }))
  assert.equal(blocks.length, 2)
  assert.equal(await engine.pendingNonce(fromHex(alice.address)), 2n)
  await engine.send(await sign(carol, { nonce: 0, type: 2, to }))
  assert.equal(blocks.length, 4)
  assert.deepEqual(await engine.poolCounts(), { pending: 0, queued: 0 })
})
