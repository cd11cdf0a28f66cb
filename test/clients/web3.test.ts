// web3.js 4 against a started server: deploy, send, wait, read, batch, and the error texts of refusals.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Web3 } from 'web3'
import { devAccounts, urlOfNewKey } from '../fakes/client-keys.ts'
import { mappingSlot, storageInit, word } from '../fakes/storage-contract.ts'
import { type Started, startCairn } from '../started-server.ts'

const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'

let cairn: Started
let web3: Web3
let from: string

before(async () => {
  cairn = await startCairn()
  web3 = new Web3(`${cairn.url}/v3/${cairn.apiKey}`)
  const { privateKey } = (await devAccounts(cairn))[0] ?? { privateKey: '0x' }
  from = web3.eth.accounts.wallet.add(privateKey)[0]?.address ?? ''
})
after(() => cairn.stop())

test('a contract is deployed, called, written to and read back', async () => {
  const deployed = await web3.eth.sendTransaction({ from, data: storageInit })
  const to = deployed.contractAddress ?? ''
  assert.equal(await web3.eth.getStorageAt(to, 0), `0x${word(1234)}`)
  assert.equal(await web3.eth.getStorageAt(to, mappingSlot), `0x${word(5678)}`)
  assert.equal(await web3.eth.call({ to, data: `0x${word(0)}` }), `0x${word(1234)}`)
  const sent = await web3.eth.sendTransaction({ from, to, data: `0x${word(7)}${word(42)}` })
  assert.equal(sent.status, 1n)
  assert.equal(await web3.eth.getStorageAt(to, 7), `0x${word(42)}`)
  const found = await web3.eth.getTransactionFromBlock(
    String(sent.blockHash),
    sent.transactionIndex,
  )
  assert.equal(found?.hash, sent.transactionHash)
})

test('a batch gets each answer, though its ids are UUIDs', async () => {
  const batch = new web3.BatchRequest()
  const chainId = batch.add<string>({ method: 'eth_chainId', params: [] })
  const slot = batch.add<string>({ method: 'eth_getStorageAt', params: [sample, '0x0', 'latest'] })
  await batch.execute()
  assert.deepEqual(await Promise.all([chainId, slot]), ['0x539', `0x${word(1234)}`])
})

test('a refusal shows the error text of the server', async () => {
  const shown = async (url: string): Promise<string> => {
    const error: Error = await new Web3(url).eth.getBlockNumber().then(
      () => assert.fail('it was answered'),
      (reason: Error) => reason,
    )
    return `${error.message} ${JSON.stringify(error)}`
  }
  assert.match(await shown(`${cairn.url}/v3/${'0'.repeat(32)}`), /invalid project id/)
  const spent = await urlOfNewKey(cairn, '--units-per-day', '79')
  assert.match(await shown(spent), /daily request count exceeded/)
  const closed = await urlOfNewKey(cairn, '--units-per-second', '0')
  assert.match(await shown(closed), /units/)
  const secret = await urlOfNewKey(cairn, '--secret-required')
  assert.match(await shown(secret), /rejected due to project ID settings/)
})
