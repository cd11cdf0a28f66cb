// viem's test client in both modes against a started server: every action that the embedded chain supports, and the refusals of the
// others. Wallets without keys send from development accounts and impersonated ones.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type BaseError,
  createPublicClient,
  createTestClient,
  createWalletClient,
  http,
  parseEther,
} from 'viem'
import { localhost } from 'viem/chains'
import { storageRuntime, word } from '../fakes/storage-contract.ts'
import { type Started, startCairn } from '../started-server.ts'

const chain = localhost
const stranger = '0x00000000219ab540356cbb839cbe05303d7705fa'
const other = '0x391694e7e0b0cce554cb130d723a9d27458f9298'
const modes: readonly ('hardhat' | 'anvil')[] = ['hardhat', 'anvil']

let cairn: Started
before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

function clients(mode: 'hardhat' | 'anvil') {
  const transport = http(`${cairn.url}/v3/${cairn.apiKey}`)
  return {
    tools: createTestClient({ mode, chain, transport }),
    reader: createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 }),
    wallet: createWalletClient({ chain, transport }),
  }
}

for (const mode of modes) {
  test(`${mode}: accounts are changed, and the change is read at once`, async () => {
    const { tools, reader } = clients(mode)
    const address = stranger
    await tools.setBalance({ address, value: parseEther('3') })
    await tools.setCode({ address, bytecode: storageRuntime })
    await tools.setNonce({ address, nonce: 12 })
    await tools.setStorageAt({ address, index: 0, value: `0x${word(42)}` })
    await tools.setStorageAt({ address, index: `0x${word(7)}`, value: `0x${word(43)}` })
    assert.equal(await reader.getBalance({ address }), parseEther('3'))
    assert.equal(await reader.getCode({ address }), storageRuntime)
    assert.equal(await reader.getTransactionCount({ address }), 12)
    assert.equal(await reader.getStorageAt({ address, slot: '0x0' }), `0x${word(42)}`)
    assert.equal((await reader.call({ to: address, data: `0x${word(7)}` })).data, `0x${word(43)}`)
    await tools.reset()
    assert.equal(await reader.getBlockNumber(), 0n)
    assert.equal(await reader.getBalance({ address }), 0n)
  })

  test(`${mode}: wallets without keys send from public accounts and impersonated ones`, async () => {
    const { tools, reader, wallet } = clients(mode)
    const [account] = await wallet.getAddresses()
    assert.ok(account)
    const sent = await wallet.sendTransaction({ account, to: other, value: 1n })
    assert.equal(
      (await reader.waitForTransactionReceipt({ hash: sent })).from,
      account.toLowerCase(),
    )
    const value = parseEther('1')
    await assert.rejects(wallet.sendTransaction({ account: other, to: account, value }), (error) =>
      /unknown account/.test((error as BaseError).details),
    )
    await tools.setBalance({ address: other, value: parseEther('2') })
    await tools.impersonateAccount({ address: other })
    const hash = await wallet.sendTransaction({ account: other, to: stranger, value })
    const { status, from } = await reader.waitForTransactionReceipt({ hash })
    assert.deepEqual([status, from], ['success', other])
    assert.equal((await reader.getTransaction({ hash })).from, other)
    await tools.stopImpersonatingAccount({ address: other })
    await assert.rejects(wallet.sendTransaction({ account: other, to: account, value: 1n }))
    const unsigned = await tools.sendUnsignedTransaction({ from: other, to: stranger, value: 5n })
    await reader.waitForTransactionReceipt({ hash: unsigned })
    assert.equal(await reader.getBalance({ address: stranger }), value + 5n)
    await tools.reset()
  })

  test(`${mode}: a snapshot is the state to go back to`, async () => {
    const { tools, reader } = clients(mode)
    const id = await tools.snapshot()
    const before = await reader.getBlock()
    await tools.setBalance({ address: stranger, value: 9n })
    await tools.mine({ blocks: 3 })
    await tools.revert({ id })
    assert.equal((await reader.getBlock()).hash, before.hash)
    assert.equal(await reader.getBalance({ address: stranger }), 0n)
  })

  test(`${mode}: time is moved and set`, async () => {
    const { tools, reader } = clients(mode)
    const time = async () => (await reader.getBlock()).timestamp
    await tools.mine({ blocks: 1 })
    const before = await time()
    await tools.increaseTime({ seconds: 86_400 })
    await tools.mine({ blocks: 1 })
    assert.ok((await time()) >= before + 86_400n)
    const then = (await time()) + 420n
    await tools.setNextBlockTimestamp({ timestamp: then })
    await tools.mine({ blocks: 3, interval: 60 })
    assert.equal(await time(), then + 120n)
    // Hardhat has no such method.
    if (mode === 'anvil') {
      await tools.setBlockTimestampInterval({ interval: 7 })
      await tools.mine({ blocks: 2 })
      assert.equal(await time(), then + 134n)
      await tools.removeBlockTimestampInterval()
    }
    await tools.reset()
  })

  test(`${mode}: transactions wait while nothing mines`, async () => {
    const { tools, reader, wallet } = clients(mode)
    const [account] = await wallet.getAddresses()
    assert.ok(account)
    await tools.setAutomine(false)
    if (mode !== 'hardhat') assert.equal(await tools.getAutomine(), false)
    const send = () => wallet.sendTransaction({ account, to: other, value: 1n, gas: 21_000n })
    const [first, second] = [await send(), await send()]
    assert.deepEqual(await tools.getTxpoolStatus(), { pending: 2, queued: 0 })
    assert.deepEqual(Object.keys((await tools.getTxpoolContent()).pending[account] ?? {}), [
      '0',
      '1',
    ])
    assert.equal(Object.keys((await tools.inspectTxpool()).pending).length, 1)
    await tools.dropTransaction({ hash: second })
    await tools.mine({ blocks: 1 })
    assert.equal((await reader.getTransactionReceipt({ hash: first })).status, 'success')
    await assert.rejects(reader.getTransaction({ hash: second }))
    await tools.setIntervalMining({ interval: 1 })
    const waiting = await send()
    assert.equal((await reader.waitForTransactionReceipt({ hash: waiting })).status, 'success')
    await tools.setIntervalMining({ interval: 0 })
    await tools.setAutomine(true)
    await tools.reset()
  })

  test(`${mode}: the next block is shaped`, async () => {
    const { tools, reader } = clients(mode)
    await tools.setNextBlockBaseFeePerGas({ baseFeePerGas: 30n })
    await tools.setBlockGasLimit({ gasLimit: 42_000_000n })
    await tools.setCoinbase({ address: stranger })
    await tools.mine({ blocks: 1 })
    const { baseFeePerGas, gasLimit, miner } = await reader.getBlock()
    assert.deepEqual([baseFeePerGas, gasLimit, miner], [30n, 42_000_000n, stranger])
    await tools.setLoggingEnabled(true)
    await tools.reset()
  })

  test(`${mode}: actions without a counterpart are refused with a reason`, async () => {
    const { tools } = clients(mode)
    const refused: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
      [() => tools.setMinGasPrice({ gasPrice: 1n }), /not supported when EIP-1559 is active/],
      [() => tools.setRpcUrl('http://127.0.0.1:1'), /settings name a forked network/],
      [
        () => tools.reset({ jsonRpcUrl: 'http://127.0.0.1:1', blockNumber: 1n }),
        /set fork of the embedded chain/,
      ],
    ]
    for (const [call, reason] of refused) {
      await assert.rejects(call, (error) => reason.test((error as BaseError).details))
    }
    await assert.rejects(tools.dumpState())
    await assert.rejects(tools.loadState({ state: '0x00' }))
  })
}
