// Runs the operations on recorded chains and on mainnet data and compares the results with go-ethereum's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  chainFolder,
  cutBlocks,
  missingVectors,
  readChain,
  type VectorBlock,
} from '../../../../test/fakes/chain-vectors.ts'
import { createMainnetProof, usdcSlot } from '../../../../test/fakes/upstream/mainnet-proof.ts'
import {
  createFakeHead,
  createFakeNetwork,
  createFakeObtain,
} from '../../../../test/fakes/upstream/network.ts'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { readTranscripts } from '../../../../test/api/transcripts.ts'
import { Fault } from '../../../base/fault.ts'
import { toHex, toQuantity } from '../../../base/hex.ts'
import { type ContentRef, type UnverifiedItem, refKey } from '../../../content/ref.ts'
import { createSenderCache } from '../../../chain/sender-cache.ts'
import { ethGetStorageAt } from './eth_getStorageAt.ts'
import { createEthGetTransactionByBlockHashAndIndex } from '../transactions/eth_getTransactionByBlockHashAndIndex.ts'

const skip = missingVectors

type Json = Readonly<Record<string, unknown>>
const byPlace = createEthGetTransactionByBlockHashAndIndex(createSenderCache(1000).find)

function refsOf(blocks: readonly VectorBlock[]) {
  return blocks.map(({ hash, header }) => ({ network: 'dev', hash, number: header.number }))
}

function vectorNetwork(extra: readonly UnverifiedItem[] = []) {
  const { blocks, items } = cutBlocks(readChain('chain.rlp'))
  return createFakeNetwork({
    head: createFakeHead(refsOf(blocks)),
    obtain: createFakeObtain([...items, ...extra]),
  })
}

test('a mainnet storage slot is proved from a block hash to its value', { skip }, async () => {
  const requested: ContentRef[] = []
  const { network, params } = createMainnetProof(undefined, requested)
  const answer = await runOperation(ethGetStorageAt, network, params)
  assert.equal(answer.result, '0x00000000000000000000000043506849d7c04f9138d1a2050bbf3a0c054402dd')
  assert.deepEqual(answer.levels, ['proof'])
  assert.equal(answer.blocks.at(-1)?.number, 22196233n)
  const nodes = requested.filter(({ kind }) => kind === 'trie-node').map(refKey)
  assert.equal(new Set(nodes).size, 9 + 7)
})

test(
  'another slot than the proof is for is no_state or a proved zero, never its value',
  { skip },
  async () => {
    const { network, block } = createMainnetProof()
    const params = [usdcSlot[0], `0x${'7'.repeat(64)}`, toHex(block.hash)]
    await assert.rejects(runOperation(ethGetStorageAt, network, params), (thrown) => {
      const root = toHex(block.header.stateRoot).slice(2)
      assert(thrown instanceof Fault)
      assert.equal(thrown.code, 'no_state')
      assert.equal(
        thrown.message,
        `missing trie node ${root} (path ) state 0x${root} is not available`,
      )
      return true
    })
  },
)

test('a state node with one bit flipped is refused', { skip }, async () => {
  const { network, params } = createMainnetProof((items) =>
    items.map((item) => {
      if (item.ref.kind !== 'trie-node') return item
      const bytes = Uint8Array.from(item.bytes)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
      return { ref: item.ref, bytes }
    }),
  )
  await assert.rejects(runOperation(ethGetStorageAt, network, params), { code: 'unverified' })
})

test('transactions of a mainnet block are found up to the last of 207', { skip }, async () => {
  const { network, params } = createMainnetProof()
  const blockHash = params[2]
  for (const index of ['0x0', '0x63', '0xce']) {
    const { result } = await runOperation(byPlace, network, [blockHash, index])
    assert.match(String((result as { from: string }).from), /^0x[0-9a-f]{40}$/)
  }
  const past = await runOperation(byPlace, network, [blockHash, '0xcf'])
  assert.deepEqual([past.result, past.levels], [null, ['proof']])
})

test('an index past the end is a proved null, an unknown block an unproved one', async () => {
  const network = vectorNetwork()
  const known = toHex(cutBlocks(readChain('chain.rlp')).blocks[0]?.hash ?? assert.fail())
  for (const index of ['0xffff', '0xffffffffffffffff', '0x100000000']) {
    const past = await runOperation(byPlace, network, [known, index])
    assert.deepEqual([past.result, past.levels], [null, ['proof']])
    assert.equal(past.blocks[0]?.anchor, undefined)
  }
  const unknown = await runOperation(byPlace, network, [`0x${'ab'.repeat(32)}`, '0x0'])
  assert.deepEqual([unknown.result, unknown.levels, unknown.blocks], [null, ['none'], []])
})

test('a known block without available transactions is pruned, never null', async () => {
  const { blocks, items } = cutBlocks(readChain('chain.rlp'))
  const headers = items.filter(({ ref }) => ref.kind === 'header')
  const network = createFakeNetwork({
    head: createFakeHead(refsOf(blocks)),
    obtain: createFakeObtain(headers),
  })
  const params = [toHex(blocks[0]?.hash ?? new Uint8Array(32)), '0x0']
  await assert.rejects(runOperation(byPlace, network, params), {
    code: 'pruned',
    message: 'pruned history unavailable',
  })
})

/** The order of members in go-ethereum's RPCTransaction. */
const order = [
  'blockHash',
  'blockNumber',
  'blockTimestamp',
  'from',
  'gas',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'maxFeePerBlobGas',
  'hash',
  'input',
  'nonce',
  'to',
  'transactionIndex',
  'value',
  'type',
  'accessList',
  'chainId',
  'blobVersionedHashes',
  'authorizationList',
  'v',
  'r',
  's',
  'yParity',
]

/** A blob transaction of the vectors, which no transcript contains. */
const unrecorded: Json = {
  blockHash: '0x9e5e1e79c57f257def6a0e882d10863e2a98b034e6e0fdaccd7ff7b31312105d',
  blockNumber: '0x2a',
  blockTimestamp: '0x1a4',
  from: '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f',
  gas: '0x186a0',
  gasPrice: '0x813f23c',
  maxFeePerGas: '0x813f23c',
  maxPriorityFeePerGas: '0x1',
  maxFeePerBlobGas: '0x20000',
  hash: '0x4bb6fa064c302d27ea9ac821e061bcc336b8fa40de77f01e116c6461d47e7ac1',
  input: '0x29db68258899c2fe656d6974',
  nonce: '0xc7',
  to: '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df',
  transactionIndex: '0x0',
  value: '0x3',
  type: '0x3',
  accessList: [
    {
      address: '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df',
      storageKeys: [
        `0x${'0'.repeat(64)}`,
        '0x35f96bc70aa62a539fa99d9153b0f8aaa4594abf70cc8a8d9018e04e39a17982',
      ],
    },
  ],
  chainId: '0xc72dd9d5e883e',
  blobVersionedHashes: ['0x015a4cab4911426699ed34483de6640cf55a568afc5c5edffdcbd8bcd4452f68'],
  v: '0x1',
  r: '0xf5b2ecf5fb4a93d85bfa76fab96a57eed00c3e5ed379f0018756e33d3cbb985a',
  s: '0x6647a16a0b2aee4772edf9c03afb679e21d134ce3231f0fce7f6bfa9d1152f03',
  yParity: '0x1',
}

for (const type of [0, 1, 2, 3, 4]) {
  test(`a transaction of type ${type} is rendered member by member, as go-ethereum does`, async () => {
    const recorded = readTranscripts(chainFolder)
      .filter(({ method }) => method.startsWith('eth_getTransactionBy'))
      .map(({ response }) => (JSON.parse(response) as { result?: Json | null }).result)
      .filter((result) => result !== null && result !== undefined)
    const expected = [...recorded, ...(missingVectors === false ? [unrecorded] : [])].filter(
      (one) => one['type'] === toQuantity(type),
    )
    assert.ok(expected.length > 0)
    for (const one of expected) {
      const params = [one['blockHash'], one['transactionIndex']]
      const { result, levels } = await runOperation(byPlace, vectorNetwork(), params)
      assert.deepEqual(levels, ['proof'])
      assert.deepEqual(result, one)
      const object = result as Json
      assert.deepEqual(
        Object.keys(object),
        order.filter((name) => name in object),
      )
    }
  })
}

test('a block of another chain is an unproved null here', async () => {
  const params = ['0xb3b20624f8f0f86eb50dd04688409e5cea4bd02d700bf6e79e9384d47d6a5a35', '0x0']
  const { result, levels } = await runOperation(byPlace, vectorNetwork(), params)
  assert.deepEqual([result, levels], [null, ['none']])
})
