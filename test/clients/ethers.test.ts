// ethers 6 against a started server: deploy, send every transaction type, wait, read back, and re-check.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  concat,
  ContractFactory,
  getAddress,
  getCreateAddress,
  Interface,
  JsonRpcProvider,
  JsonRpcSigner,
  keccak256,
  NonceManager,
  toBeHex,
  Transaction,
  Wallet,
  zeroPadValue,
} from 'ethers'
import { type Started, startCairn } from '../started-server.ts'

// Runtime: 64 bytes of calldata store word 1 at slot word 0; anything else returns the slot named by word 0.
const runtime = '3660401460105' + '75f35545f5260205ff3' + '5b6020355f355500'
const owner = '0x391694e7e0b0cce554cb130d723a9d27458f9298'
const mappingSlot = keccak256(concat([zeroPadValue(owner, 32), toBeHex(1, 32)]))
const init = `0x6104d25f5561162e7f${mappingSlot.slice(2)}5577${runtime}5f5260186008f3`

let cairn: Started
let provider: JsonRpcProvider
let wallet: Wallet

before(async () => {
  cairn = await startCairn()
  const { accounts } = (await cairn.cli('accounts', 'dev')) as {
    accounts: { privateKey: string }[]
  }
  provider = new JsonRpcProvider(`${cairn.url}/v3/${cairn.apiKey}`, undefined, {
    cacheTimeout: -1,
    pollingInterval: 50,
  })
  wallet = new Wallet(accounts[0]?.privateKey ?? '', provider)
})
after(async () => {
  provider.destroy()
  await cairn.stop()
})

test('the documented storage example holds on a fresh start with `latest`', async () => {
  const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
  assert.equal(BigInt(await provider.getStorage(sample, 0)), 1234n)
  assert.equal(BigInt(await provider.getStorage(sample, mappingSlot)), 5678n)
})

test('signers of the provider send from development accounts and impersonated ones', async () => {
  const signer = await provider.getSigner(1)
  const sent = await signer.sendTransaction({ to: owner, value: 10n ** 18n })
  assert.equal((await sent.wait())?.from, signer.address)
  await assert.rejects(provider.getSigner(owner), /invalid account/)
  await provider.send('hardhat_impersonateAccount', [owner])
  const impersonated = new JsonRpcSigner(provider, getAddress(owner))
  const again = await impersonated.sendTransaction({ to: signer.address, value: 1n })
  const receipt = await again.wait()
  assert.deepEqual([receipt?.status, receipt?.from], [1, getAddress(owner)])
  assert.equal((await provider.getTransaction(again.hash))?.from, getAddress(owner))
})

test('a contract is deployed, called, written to, and its plain and mapping slots are read back', async () => {
  const factory = new ContractFactory(new Interface([]), init, wallet)
  const contract = await factory.deploy()
  const deployed = await contract.waitForDeployment()
  const address = await deployed.getAddress()
  assert.equal(await provider.getCode(address), `0x${runtime}`)
  assert.equal(BigInt(await provider.getStorage(address, 0)), 1234n)
  assert.equal(BigInt(await provider.getStorage(address, mappingSlot)), 5678n)
  assert.equal(BigInt(await provider.call({ to: address, data: toBeHex(0, 32) })), 1234n)
  const before = await provider.getBlockNumber()
  const sent = await wallet.sendTransaction({
    to: address,
    data: concat([toBeHex(7, 32), toBeHex(42, 32)]),
  })
  const receipt = await sent.wait()
  assert.equal(receipt?.status, 1)
  assert.equal(BigInt(await provider.getStorage(address, 7)), 42n)
  assert.equal(BigInt(await provider.getStorage(address, 7, before)), 0n)
})

test('types 0, 1 and 2 are mined, and read by block hash and index they hash and recover to themselves', async () => {
  for (const type of [0, 1, 2]) {
    const accessList =
      type === 0 ? {} : { accessList: [{ address: owner, storageKeys: [toBeHex(1, 32)] }] }
    const sent = await wallet.sendTransaction({ type, to: owner, value: 1n, ...accessList })
    await assertProved(await sent.wait(), sent.hash, type)
  }
})

test('a blob transaction is mined without its sidecar', async () => {
  const zero = new Uint8Array(48)
  zero[0] = 0xc0
  const point = `0x${Buffer.from(zero).toString('hex')}`
  const blobs = [{ data: `0x${'00'.repeat(131072)}`, commitment: point, proof: point }]
  const sent = await wallet.sendTransaction({
    type: 3,
    to: owner,
    blobs,
    maxFeePerBlobGas: 10n ** 9n,
    gasLimit: 100_000n,
  })
  const receipt = await sent.wait()
  await assertProved(receipt, sent.hash, 3)
  assert.equal(receipt?.blobGasUsed, 131072n)
})

test('a set-code transaction gives an account code', async () => {
  const target = getCreateAddress({ from: wallet.address, nonce: 0 })
  const nonce = await provider.getTransactionCount(wallet.address)
  const authorization = await wallet.authorize({ address: target, nonce: nonce + 1 })
  const sent = await wallet.sendTransaction({
    type: 4,
    to: owner,
    authorizationList: [authorization],
    nonce,
  })
  await assertProved(await sent.wait(), sent.hash, 4)
  assert.equal(await provider.getCode(wallet.address), `0xef0100${target.slice(2).toLowerCase()}`)
})

test('a revert reaches ethers with its reason', async () => {
  const reason = new Interface(['error Error(string)']).encodeErrorResult('Error', ['not today'])
  const size = (reason.length - 2) / 2
  // Init code that reverts with `reason`: CODECOPY the tail to memory, then REVERT.
  const data = `0x60${size.toString(16).padStart(2, '0')}600a5f3960${size.toString(16).padStart(2, '0')}5ffd${reason.slice(2)}`
  await assert.rejects(
    wallet.estimateGas({ data }),
    (error: Error & { reason?: string }) => error.reason === 'not today',
  )
})

test('ethers sends in parallel with a nonce manager, and every one is mined', async () => {
  const { accounts } = (await cairn.cli('accounts', 'dev')) as {
    accounts: { privateKey: string }[]
  }
  const manager = new NonceManager(new Wallet(accounts[3]?.privateKey ?? '', provider))
  const sent = await Promise.all(
    Array.from({ length: 5 }, () => manager.sendTransaction({ to: owner, value: 3n })),
  )
  const receipts = await Promise.all(sent.map((transaction) => transaction.wait()))
  assert.deepEqual(
    receipts.map((receipt) => receipt?.status),
    [1, 1, 1, 1, 1],
  )
})

async function assertProved(
  receipt: { blockHash: string; index: number; status: number | null } | null,
  hash: string,
  type: number,
): Promise<void> {
  assert.equal(receipt?.status, 1)
  const result = (await provider.send('eth_getTransactionByBlockHashAndIndex', [
    receipt.blockHash,
    `0x${receipt.index.toString(16)}`,
  ])) as Parameters<typeof provider._wrapTransactionResponse>[0]
  assert.equal(result.hash, hash)
  const again = provider._wrapTransactionResponse(result, await provider.getNetwork())
  assert.equal(again.type, type)
  // Rebuilt from its members and serialised by ethers, it must have the same hash and the same sender.
  const rebuilt = Transaction.from({
    type,
    to: again.to,
    nonce: again.nonce,
    gasLimit: again.gasLimit,
    data: again.data,
    value: again.value,
    chainId: again.chainId,
    signature: again.signature,
    ...(type < 2
      ? { gasPrice: again.gasPrice }
      : { maxFeePerGas: again.maxFeePerGas, maxPriorityFeePerGas: again.maxPriorityFeePerGas }),
    ...(type > 0 ? { accessList: again.accessList } : {}),
    ...(type === 3
      ? { maxFeePerBlobGas: again.maxFeePerBlobGas, blobVersionedHashes: again.blobVersionedHashes }
      : {}),
    ...(type === 4 ? { authorizationList: again.authorizationList } : {}),
  })
  assert.equal(rebuilt.hash, hash)
  assert.equal(rebuilt.from, wallet.address)
}
