// Events by polling: ethers, viem and web3.js through filters if supported, and through logs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Contract, type EventLog, JsonRpcProvider, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { localhost } from 'viem/chains'
import { Web3 } from 'web3'
import { devAccounts } from '../fakes/client-keys.ts'
import { storageInit, storedEvent, storedTopic, word } from '../fakes/storage-contract.ts'
import { type Started, startCairn } from '../started-server.ts'

let cairn: Started
let provider: JsonRpcProvider

before(async () => {
  cairn = await startCairn()
  provider = new JsonRpcProvider(`${cairn.url}/v3/${cairn.apiKey}`)
  provider.pollingInterval = 50
})
after(async () => {
  provider.destroy()
  await cairn.stop()
})

test('ethers and web3.js receive an event and find it again', async () => {
  const signer = new Wallet((await devAccounts(cairn))[0]?.privateKey ?? '', provider)
  const deployed = await signer.sendTransaction({ data: storageInit })
  const receipt = await deployed.wait()
  const address = receipt?.contractAddress ?? ''
  const contract = new Contract(address, [storedEvent], provider)
  const stored = new Promise<bigint[]>((resolve) => {
    void contract.once('Stored', (slot: bigint, value: bigint) => resolve([slot, value]))
  })
  // Calls are answered in order, so the filter exists before the next call.
  await provider.getBlockNumber()
  // ethers caches a nonce for 250 ms, so the test sets the next one.
  const sent = await signer.sendTransaction({
    to: address,
    data: `0x${word(7)}${word(42)}`,
    nonce: deployed.nonce + 1,
  })
  await sent.wait()
  assert.deepEqual(await stored, [7n, 42n])
  const past = await contract.queryFilter('Stored', receipt?.blockNumber)
  assert.deepEqual(
    past.map((log) => (log as EventLog).args.toArray()),
    [[7n, 42n]],
  )
  const web3 = new Web3(`${cairn.url}/v3/${cairn.apiKey}`)
  const logs = await web3.eth.getPastLogs({ address, fromBlock: 'earliest', topics: [storedTopic] })
  assert.deepEqual(
    logs.map((log) => (log as { data: string }).data),
    [`0x${word(7)}${word(42)}`],
  )
})

test('viem receives an event and finds it again', async () => {
  const transport = http(`${cairn.url}/v3/${cairn.apiKey}`)
  const client = createPublicClient({ chain: localhost, transport, pollingInterval: 50 })
  const account = privateKeyToAccount((await devAccounts(cairn))[2]?.privateKey ?? '0x')
  const wallet = createWalletClient({ account, chain: localhost, transport })
  const deployed = await wallet.deployContract({ abi: [], bytecode: storageInit })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployed })
  assert.ok(contractAddress)
  const abi = parseAbi([storedEvent])
  const fromBlock = await client.getBlockNumber()
  const args = await new Promise((resolve, reject) => {
    const unwatch = client.watchContractEvent({
      address: contractAddress,
      abi,
      fromBlock,
      onError: reject,
      onLogs(logs) {
        unwatch()
        resolve(logs[0]?.args)
      },
    })
    wallet.sendTransaction({ to: contractAddress, data: `0x${word(9)}${word(99)}` }).catch(reject)
  })
  assert.deepEqual(args, { slot: 9n, value: 99n })
  const logs = await client.getContractEvents({ address: contractAddress, abi, fromBlock })
  assert.deepEqual(
    logs.map((log) => log.args),
    [{ slot: 9n, value: 99n }],
  )
})
