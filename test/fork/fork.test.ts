// A fork of a real chain: development tools read, change and extend the state of another network, with a proof for every node, and
// a second start needs no upstream for data that the first one has read.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseEther } from 'viem'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { missingGeth } from '../engines/geth.ts'
import { word } from '../fakes/storage-contract.ts'
import type { Geth } from '../engines/geth.ts'
import {
  blocksCount,
  chain,
  type Fork,
  folderFor,
  hasher,
  proxied,
  rich,
  startFork,
  startForkedGeth,
  store,
} from './forked-chain.ts'

const skip = missingGeth()
const forkNumber = BigInt(blocksCount)
const sender = devAccounts[0]?.address as `0x${string}`
let geth: Geth
const ends: (() => unknown)[] = []
before(async () => {
  if (skip === false) geth = await startForkedGeth({ after: (end) => void ends.push(end) })
})
after(async () => {
  for (const end of ends) await end()
})

const slot = (index: number): `0x${string}` => `0x${word(index)}`

async function storeWord({ wallet, reader }: Fork, index: number, value: number) {
  const data = `0x${word(index)}${word(value)}` as const
  const hash = await wallet.sendTransaction({ account: sender, to: store, data, chain })
  return await reader.getTransactionReceipt({ hash })
}

test('a fork reads, changes and extends the state of a real chain', { skip }, async (t) => {
  const forked = await proxied(t, geth)
  const fork = await startFork(t, forked)
  const { reader, tools, wallet } = fork
  equal(await reader.getChainId(), 1337)
  equal(await reader.getBlockNumber(), forkNumber + 1n)
  equal(await reader.getBalance({ address: sender }), parseEther('10000'))
  equal(await reader.getBalance({ address: rich }), parseEther('7'))
  equal(await reader.getStorageAt({ address: store, slot: slot(1_234) }), slot(1_235))
  equal((await reader.call({ to: store, data: slot(77) })).data, slot(78))

  const { status } = await storeWord(fork, 77, 4_242)
  equal(status, 'success')
  equal(await reader.getStorageAt({ address: store, slot: slot(77) }), slot(4_242))
  equal(await reader.getStorageAt({ address: store, slot: slot(78) }), slot(79))
  equal(
    (await reader.call({ to: store, data: slot(77), blockNumber: forkNumber + 1n })).data,
    slot(78),
  )

  await tools.impersonateAccount({ address: rich })
  await wallet.sendTransaction({ account: rich, to: sender, value: parseEther('2'), chain })
  equal((await reader.getBalance({ address: rich })) < parseEther('5'), true)
  await tools.setBalance({ address: store, value: 5n })
  equal(await reader.getBalance({ address: store }), 5n)

  const snapshot = await tools.snapshot()
  await storeWord(fork, 1, 0)
  equal(await reader.getStorageAt({ address: store, slot: slot(1) }), slot(0))
  await tools.revert({ id: snapshot })
  equal(await reader.getStorageAt({ address: store, slot: slot(1) }), slot(2))
})

test(
  'a second start needs no upstream for what was read, and refuses another fork',
  { skip },
  async (t) => {
    const forked = await proxied(t, geth)
    const { node } = forked
    const dataDir = await folderFor(t)
    const first = await startFork(t, forked, { dataDir })
    await storeWord(first, 9, 900)
    equal(await first.reader.getStorageAt({ address: store, slot: slot(10) }), slot(11))
    equal(await first.reader.getBalance({ address: rich }), parseEther('7'))
    await first.stop()

    node.change = () => ({ error: { code: -32000, message: 'gone' } })
    const second = await startFork(t, forked, { dataDir, key: first.apiKey })
    equal(await second.reader.getBlockNumber(), forkNumber + 2n)
    equal(await second.reader.getStorageAt({ address: store, slot: slot(9) }), slot(900))
    equal(await second.reader.getStorageAt({ address: store, slot: slot(10) }), slot(11))
    equal(await second.reader.getBalance({ address: rich }), parseEther('7'))
    equal((await storeWord(second, 10, 1_000)).status, 'success')
    // A wallet with its own key requests fees.
    equal(await second.reader.estimateMaxPriorityFeePerGas(), 1_000_000n)
    ok((await second.reader.getGasPrice()) > 1_000_000n)
    equal((await second.reader.call({ to: store, data: slot(10) })).data, slot(1_000))
    // Unread data is not guessed, and the chain continues.
    await rejects(second.reader.getStorageAt({ address: store, slot: slot(1_500) }), /./)
    await rejects(storeWord(second, 1_501, 1), /slot 0x0{61}5dd of account 0x76/)
    equal((await storeWord(second, 9, 901)).status, 'success')
    await second.stop()

    for (const other of ['chain@5', 'chain@finalized', `chain@0x${'ab'.repeat(32)}`]) {
      await rejects(
        startFork(t, forked, { dataDir, fork: other }),
        new RegExp(
          `forked from chain at block ${forkNumber} \\(0x.*name ${other}: set fork: chain@${forkNumber}`,
        ),
      )
    }
    const third = await startFork(t, forked, {
      dataDir,
      fork: `chain@${forkNumber}`,
      key: first.apiKey,
    })
    equal((await third.reader.call({ to: store, data: slot(9) })).data, slot(901))
  },
)

test(
  'blocks, logs, transactions and hashes from before the fork are those of the forked chain',
  { skip },
  async (t) => {
    const forked = await proxied(t, geth)
    const fork = await startFork(t, forked, { fork: `chain@${blocksCount - 1}` })
    const { reader } = fork
    const at = forkNumber - 1n
    equal(await reader.getBlockNumber(), at + 1n)
    for (const blockNumber of [0n, 2n, at]) {
      const expected = await forked.geth.call('eth_getBlockByNumber', [
        `0x${blockNumber.toString(16)}`,
        true,
      ])
      const got = await fork.rpc('eth_getBlockByNumber', [`0x${blockNumber.toString(16)}`, true])
      deepEqual(got.result, expected.result)
    }
    // The forked block has a parent; the next block is the fork's own.
    const { hash: first, parentHash } = await reader.getBlock({ blockNumber: at + 1n })
    equal(parentHash, (await reader.getBlock({ blockNumber: at })).hash)
    equal((await reader.getBlock({ blockHash: first })).number, at + 1n)
    await storeWord(fork, 3, 33)

    const logs = await reader.getLogs({ address: store, fromBlock: 2n, toBlock: 'latest' })
    deepEqual(
      logs.map(({ blockNumber, data }) => [blockNumber, data.slice(2, 66)]),
      [...[2n, 3n, 4n, 5n].map((number) => [number, word(10_000n + number)]), [at + 2n, word(3)]],
    )
    const [old] = logs
    equal(
      (await reader.getTransactionReceipt({ hash: old?.transactionHash ?? '0x' })).blockNumber,
      2n,
    )
    equal((await reader.getTransaction({ hash: old?.transactionHash ?? '0x' })).to, store)
    // The transaction of the real chain's next block is unknown here.
    const later = await forked.geth.call('eth_getBlockByNumber', [
      `0x${forkNumber.toString(16)}`,
      false,
    ])
    const [unknown = ''] = (later.result as { transactions: string[] }).transactions
    deepEqual((await fork.rpc('eth_getTransactionByHash', [unknown])).result, null)

    for (const number of [1n, 3n, at, at + 1n]) {
      const { data } = await reader.call({ to: hasher, data: `0x${word(number)}` })
      equal(data, (await reader.getBlock({ blockNumber: number })).hash)
    }
    for (const [blockNumber, value] of [
      [3n, 0],
      [4n, 1_004],
    ] as const) {
      const { data } = await reader.call({ to: store, data: slot(10_004), blockNumber })
      equal(data, slot(value))
    }
    equal(
      (await reader.call({ to: hasher, data: slot(1), blockNumber: 3n })).data,
      (await reader.getBlock({ blockNumber: 1n })).hash,
    )
    const latest = await fork.rpc('eth_simulateV1', [
      { blockStateCalls: [{ calls: [{ to: hasher, data: slot(3) }] }] },
      'latest',
    ])
    const [simulated] = latest.result as { calls: { returnData: string }[] }[]
    equal(simulated?.calls[0]?.returnData, (await reader.getBlock({ blockNumber: 3n })).hash)
    // Slots that were not read cannot be listed.
    const { hash: own } = await reader.getBlock({ blockNumber: at + 2n })
    const range = await fork.rpc('debug_storageRangeAt', [own, 0, store, slot(0), 4_000])
    equal((range.error as { code: number }).code, -32000)
    equal(
      await reader.getStorageAt({ address: store, slot: slot(10_004), blockNumber: 3n }),
      slot(0),
    )
    equal(
      await reader.getStorageAt({ address: store, slot: slot(10_004), blockNumber: 4n }),
      slot(1_004),
    )
  },
)

test('a fork survives a crash, without an upstream', { skip }, async (t) => {
  const forked = await proxied(t, geth)
  const dataDir = await folderFor(t)
  const first = await startFork(t, forked, { dataDir })
  await storeWord(first, 20, 2_000)
  // Deleted next to slots that were never read.
  for (let index = 21; index < 31; index += 1) await storeWord(first, index, 0)
  const { stateRoot, number } = await first.reader.getBlock()
  await first.kill()
  forked.node.change = () => ({ error: { code: -32000, message: 'gone' } })
  const second = await startFork(t, forked, { dataDir, key: first.apiKey })
  const { reader } = second
  deepEqual((await reader.getBlock()).stateRoot, stateRoot)
  equal((await reader.getBlock()).number, number)
  equal((await reader.call({ to: store, data: slot(20) })).data, slot(2_000))
  for (let index = 21; index < 31; index += 1) {
    equal(await reader.getStorageAt({ address: store, slot: slot(index) }), slot(0))
  }
  equal((await storeWord(second, 25, 5)).status, 'success')
  const proof = await reader.getProof({ address: store, storageKeys: [slot(25), slot(26)] })
  deepEqual(
    proof.storageProof.map(({ value }) => value),
    [5n, 0n],
  )
})

test(
  'tools see the fork, go back to its first block, and cannot choose another',
  { skip },
  async (t) => {
    const fork = await startFork(t, await proxied(t, geth))
    const { reader, tools } = fork
    const { hash } = await reader.getBlock({ blockNumber: forkNumber })
    const metadata = await fork.rpc('hardhat_metadata')
    deepEqual((metadata.result as { forkedNetwork: unknown }).forkedNetwork, {
      chainId: 1337,
      forkBlockNumber: blocksCount,
      forkBlockHash: hash,
    })
    const info = await fork.rpc('anvil_nodeInfo')
    deepEqual((info.result as { forkConfig: unknown }).forkConfig, {
      forkUrl: 'chain',
      forkBlockNumber: blocksCount,
      forkRetryBackoff: null,
    })
    await storeWord(fork, 40, 4)
    await tools.mine({ blocks: 3 })
    await tools.reset()
    equal(await reader.getBlockNumber(), forkNumber + 1n)
    equal(await reader.getStorageAt({ address: store, slot: slot(40) }), slot(41))
    equal(await reader.getBalance({ address: sender }), parseEther('10000'))
    // Time continues from the forked block.
    await storeWord(fork, 40, 4)
    const [forkedAt, now] = await Promise.all(
      [forkNumber, forkNumber + 2n].map(async (blockNumber) => {
        return (await reader.getBlock({ blockNumber })).timestamp
      }),
    )
    equal((now ?? 0n) - (forkedAt ?? 0n) < 300n, true)
    await rejects(tools.reset({ blockNumber: 2n, jsonRpcUrl: fork.url }), /use another data folder/)
  },
)
