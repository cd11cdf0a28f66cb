// hardhat 3 in a separate project whose only network is a started server: deploy, send, wait, read; and its network helpers, as
// test suites use them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { devAccounts } from '../fakes/client-keys.ts'
import { storageInit, word } from '../fakes/storage-contract.ts'
import { missingEngine, runHardhatScript } from '../hardhat-project.ts'
import { startCairn } from '../started-server.ts'

const deployScript = `import hre from 'hardhat'
const { provider } = await hre.network.connect('cairn')
const request = (method, ...params) => provider.request({ method, params })
const [from] = await request('eth_accounts')
const send = async (transaction) => {
  const hash = await request('eth_sendTransaction', { from, ...transaction })
  return request('eth_getTransactionReceipt', hash)
}
const { contractAddress: to } = await send({ data: process.env.INIT_CODE })
const { status } = await send({ to, data: process.env.STORE_DATA })
const slots = await Promise.all(['0x0', '0x7'].map((slot) => request('eth_getStorageAt', to, slot, 'latest')))
const refusal = await request('nope_x').catch((error) => error.message)
console.log(JSON.stringify({ status, slots, refusal, code: await request('eth_chainId') }))
`

const helpersScript = `import assert from 'node:assert/strict'
import hre from 'hardhat'
const { provider, networkHelpers } = await hre.network.connect('cairn')
const request = (method, ...params) => provider.request({ method, params })
const { time } = networkHelpers
const stranger = '0x00000000219ab540356cbb839cbe05303d7705fa'
const other = '0x391694e7e0b0cce554cb130d723a9d27458f9298'
const [from] = await request('eth_accounts')
const latest = () => request('eth_getBlockByNumber', 'latest', false)
const receipt = (hash) => request('eth_getTransactionReceipt', hash)

let deployments = 0
async function deploy() {
  deployments += 1
  const { contractAddress } = await receipt(await request('eth_sendTransaction', { from, data: process.env.INIT_CODE }))
  return { contract: contractAddress, block: (await latest()).hash }
}
const first = await networkHelpers.loadFixture(deploy)
await receipt(await request('eth_sendTransaction', { from, to: first.contract, data: process.env.STORE_DATA }))
await networkHelpers.setBalance(stranger, 7n)
const second = await networkHelpers.loadFixture(deploy)
assert.deepEqual(second, first)
assert.equal(deployments, 1)
assert.equal((await latest()).hash, first.block)
assert.equal(BigInt(await request('eth_getBalance', stranger, 'latest')), 0n)

const before = await time.latest()
const then = before + time.duration.days(3)
await time.increaseTo(then)
assert.equal(await time.latest(), then)
await time.increase(60)
assert.equal(await time.latest(), then + 60)
await time.setNextBlockTimestamp(then + 1000)
await networkHelpers.mine(5, { interval: 10 })
assert.equal(await time.latest(), then + 1040)
const height = await time.latestBlock()
await networkHelpers.mineUpTo(height + 20)
assert.equal(await time.latestBlock(), height + 20)

await networkHelpers.setBalance(other, 10n ** 18n)
await networkHelpers.impersonateAccount(other)
const sent = await receipt(await request('eth_sendTransaction', { from: other, to: stranger, value: '0x5' }))
assert.equal(sent.from, other)
await networkHelpers.stopImpersonatingAccount(other)
await assert.rejects(request('eth_sendTransaction', { from: other, to: stranger, value: '0x5' }), /unknown account/)

await networkHelpers.setCode(stranger, '0x5f545f5260205ff3')
await networkHelpers.setStorageAt(stranger, 0, 1234n)
assert.equal(BigInt(await request('eth_call', { to: stranger }, 'latest')), 1234n)
assert.equal(BigInt(await networkHelpers.getStorageAt(stranger, 0)), 1234n)
await networkHelpers.setNonce(stranger, 5)
await networkHelpers.setCoinbase(other)
await networkHelpers.setBlockGasLimit(31_000_000)
await networkHelpers.setNextBlockBaseFeePerGas(1_000_000_000)
await networkHelpers.setPrevRandao(9)
await networkHelpers.mine()
const { miner, gasLimit, baseFeePerGas, mixHash } = await latest()
assert.deepEqual([miner, Number(gasLimit), Number(baseFeePerGas), BigInt(mixHash)], [other, 31_000_000, 1_000_000_000, 9n])

const restorer = await networkHelpers.takeSnapshot()
await networkHelpers.mine(3)
await restorer.restore()
await request('evm_setAutomine', false)
const waiting = await request('eth_sendTransaction', { from, to: other, value: '0x1' })
assert.equal(await networkHelpers.dropTransaction(waiting), true)
await request('evm_setAutomine', true)
console.log(JSON.stringify({ done: true, deployments }))
`

test('a hardhat project deploys, sends and reads, signing with its own key', async (t) => {
  const missing = missingEngine()
  if (missing !== null) return t.diagnostic(missing)
  const cairn = await startCairn()
  t.after(() => cairn.stop())
  const shown = await runHardhatScript(deployScript, {
    network: 'url: process.env.CAIRN_URL, accounts: [process.env.DEV_KEY]',
    env: {
      CAIRN_URL: `${cairn.url}/v3/${cairn.apiKey}`,
      DEV_KEY: (await devAccounts(cairn))[0]?.privateKey ?? '',
      INIT_CODE: storageInit,
      STORE_DATA: `0x${word(7)}${word(42)}`,
    },
  })
  assert.deepEqual(shown, {
    status: '0x1',
    slots: [`0x${word(1234)}`, `0x${word(42)}`],
    refusal: 'The method nope_x does not exist/is not available',
    code: '0x539',
  })
})

test('the network helpers of hardhat work, without a key in the project', async (t) => {
  const missing = missingEngine()
  if (missing !== null) return t.diagnostic(missing)
  const cairn = await startCairn()
  t.after(() => cairn.stop())
  const shown = await runHardhatScript(helpersScript, {
    network: 'url: process.env.CAIRN_URL',
    plugins: ['@nomicfoundation/hardhat-network-helpers'],
    env: {
      CAIRN_URL: `${cairn.url}/v3/${cairn.apiKey}`,
      INIT_CODE: storageInit,
      STORE_DATA: `0x${word(7)}${word(42)}`,
    },
  })
  assert.deepEqual(shown, { done: true, deployments: 1 })
})
