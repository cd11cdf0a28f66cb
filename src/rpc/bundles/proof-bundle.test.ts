// Bundles of the recorded chain and of mainnet: each proves its answer, and no altered bundle proves another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { bundleOf, operations, verdictOn } from '../../../test/fakes/bundles.ts'
import {
  cutBlocks,
  missingVectors,
  readChain,
  readVector,
} from '../../../test/fakes/chain-vectors.ts'
import { createLogChain } from '../../../test/fakes/upstream/log-chain.ts'
import { createMainnetProof, usdcSlot } from '../../../test/fakes/upstream/mainnet-proof.ts'
import { createVectorNetwork } from '../../../test/fakes/upstream/vector-network.ts'
import { fromHex, toHex, toQuantity } from '../../base/hex.ts'
import { decodeAccountState, decodeStorageValue } from '../../codec/ethereum/account-state.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import type { Log } from '../../codec/ethereum/receipt.ts'
import { transactionHash } from '../../codec/ethereum/transaction.ts'
import type { ProofBundle } from './proof-bundle.ts'

const skip = missingVectors
const fraction = 11_684_671n

type Request = readonly [method: string, params: readonly unknown[]]

/** All requests with a block on the recorded chain: for each block, and for each transaction in it. */
function recordedRequests(): readonly { readonly request: Request; readonly block: string }[] {
  const { blocks, items } = cutBlocks(readChain('chain.rlp'))
  return blocks.flatMap(({ hash, header }) => {
    const block = toHex(hash)
    const list = items.find(
      ({ ref }) =>
        ref.kind === 'transactions' && toHex(ref.hash) === toHex(header.transactionsRoot),
    )
    const entries = list === undefined ? [] : decodeEntries(list.bytes)
    const requests: Request[] = [
      ['eth_getBlockByHash', [block, false]],
      ['eth_getBlockByHash', [block, true]],
      ['eth_getBlockTransactionCountByHash', [block]],
      ['eth_getUncleCountByBlockHash', [block]],
      ['eth_getUncleByBlockHashAndIndex', [block, '0x0']],
      ['eth_getHeaderByHash', [block]],
      ['debug_getRawHeader', [block]],
      ['debug_getRawBlock', [block]],
      ['eth_getTransactionByBlockHashAndIndex', [block, toQuantity(entries.length)]],
      ...entries.flatMap((raw, index): Request[] => [
        ['eth_getTransactionByBlockHashAndIndex', [block, toQuantity(index)]],
        ['eth_getTransactionByHash', [toHex(transactionHash(raw))]],
        ['debug_getRawTransaction', [toHex(transactionHash(raw))]],
        ['eth_getRawTransactionByHash', [toHex(transactionHash(raw))]],
        ['eth_getRawTransactionByBlockHashAndIndex', [block, toQuantity(index)]],
      ]),
    ]
    return requests.map((request) => ({ request, block }))
  })
}

test('every request by block of the recorded chain is proved by its bundle, byte for byte', async () => {
  const network = createVectorNetwork()
  for (const { request, block } of recordedRequests()) {
    const { result, proof } = await bundleOf(network, ...request)
    assert.equal(proof.verified, 'proof')
    assert.deepEqual([proof.method, proof.params], request)
    const verdict = await verdictOn(proof, block, request)
    assert.deepEqual(verdict, {
      method: proof.method,
      params: proof.params,
      block: proof.block,
      result: JSON.stringify(result),
    })
  }
})

test('a receipt comes with its transaction and the receipts before it, and no list', async () => {
  const network = createVectorNetwork()
  const { blocks, items } = cutBlocks(readChain('chain.rlp'))
  let proved = 0
  for (const { ref, bytes } of items) {
    if (ref.kind !== 'transactions') continue
    const block = blocks.find((it) => toHex(it.header.transactionsRoot) === toHex(ref.hash))
    if (block === undefined) continue
    for (const raw of decodeEntries(bytes)) {
      const request: Request = ['eth_getTransactionReceipt', [toHex(transactionHash(raw))]]
      // The recorded replies contain the receipts of few blocks.
      const bundled = await bundleOf(network, ...request).catch(() => null)
      if (bundled === null) continue
      const verdict = await verdictOn(bundled.proof, toHex(block.hash), request, fraction)
      assert.ok('result' in verdict, JSON.stringify(verdict))
      assert.equal(verdict.result, JSON.stringify(bundled.result))
      proved += 1
    }
  }
  assert.ok(proved >= 4, `${proved} receipts`)
})

test(
  'a slot of mainnet is proved by the nodes it took, in the order of the walk',
  { skip },
  async () => {
    const { network, block, params } = createMainnetProof()
    const { result, proof } = await bundleOf(network, 'eth_getStorageAt', params)
    assert.equal(proof.nodes.length, 9 + 7)
    assert.equal(
      proof.header,
      toHex(readVector('mainnet-proofs/usdc-implementation-slot/header.rlp')),
    )
    const verdict = await verdictOn(proof, toHex(block.hash), ['eth_getStorageAt', params])
    assert.ok('result' in verdict)
    assert.equal(verdict.result, JSON.stringify(result))

    // Verify again with code that is not Cairn's.
    const header = decodeHeader(fromHex(proof.header ?? ''))
    const nodes = proof.nodes.map(fromHex)
    const account = await verifyMerkleProof(fromHex(usdcSlot[0]), nodes.slice(0, 9), {
      root: header.stateRoot,
      useKeyHashing: true,
    })
    assert.ok(account !== null)
    const { storageRoot } = decodeAccountState(account)
    const slot = await verifyMerkleProof(fromHex(usdcSlot[1]), nodes.slice(9), {
      root: storageRoot,
      useKeyHashing: true,
    })
    assert.ok(slot !== null)
    assert.equal(toHex(decodeStorageValue(slot)), result)
  },
)

test(
  'a transaction of mainnet is proved by a few nodes, which another verifier accepts too',
  { skip },
  async () => {
    const { network, block } = createMainnetProof()
    const hash = toHex(block.hash)
    for (const index of [0, 1, 127, 128, 206]) {
      const request: Request = ['eth_getTransactionByBlockHashAndIndex', [hash, toQuantity(index)]]
      const { result, proof } = await bundleOf(network, ...request)
      const verdict = await verdictOn(proof, hash, request)
      assert.ok('result' in verdict)
      assert.equal(verdict.result, JSON.stringify(result))
      assert.ok(proof.nodes.length <= 5, `${proof.nodes.length} nodes`)
      const key =
        index === 0
          ? '0x80'
          : index < 128
            ? toHex(Uint8Array.of(index))
            : `0x81${index.toString(16)}`
      const raw = await verifyMerkleProof(fromHex(key), proof.nodes.map(fromHex), {
        root: block.header.transactionsRoot,
      })
      assert.ok(raw !== null)
      assert.equal(toHex(transactionHash(raw)), (result as { hash: string }).hash)
    }
    const past: Request = ['eth_getTransactionByBlockHashAndIndex', [hash, '0xcf']]
    const { result, proof } = await bundleOf(network, ...past)
    assert.equal(result, null)
    assert.deepEqual(await verdictOn(proof, hash, past), {
      method: past[0],
      params: past[1],
      block: proof.block,
      result: 'null',
    })
  },
)

test(
  'a node that is left out is refused by its hash; order and more of them do not matter',
  { skip },
  async () => {
    const { network, block, params } = createMainnetProof()
    const hash = toHex(block.hash)
    const { proof } = await bundleOf(network, 'eth_getStorageAt', params)
    for (const index of proof.nodes.keys()) {
      const nodes = proof.nodes.toSpliced(index, 1)
      const verdict = await verdictOn({ ...proof, nodes }, hash)
      assert.ok('refused' in verdict)
      assert.match(verdict.refused, /^the evidence lacks trie-node 0x[0-9a-f]{64}$/)
    }
    const more = [...proof.nodes.toReversed(), ...proof.nodes, '0x', '0xc0', '0x80']
    assert.ok('result' in (await verdictOn({ ...proof, nodes: more }, hash)))
  },
)

test('a bundle proves its own request and no other', { skip }, async () => {
  const { network, block, params } = createMainnetProof()
  const hash = toHex(block.hash)
  const { proof } = await bundleOf(network, 'eth_getStorageAt', params)
  const other = `0x${'7'.repeat(64)}`
  const wrong: readonly (readonly [unknown, string, Request | null, RegExp])[] = [
    [proof, other, null, /^the bundle's header is that of block 0x/],
    [
      proof,
      hash,
      ['eth_getStorageAt', [usdcSlot[0], other, hash]],
      /^the bundle is for .*, not for /,
    ],
    [proof, hash, ['eth_getBalance', [usdcSlot[0], hash]], /^the bundle is for .*, not for /],
    [proof, hash, ['eth_getStorageAt', [...usdcSlot, other]], /^the request is for block 0x7777/],
    [proof, hash, ['eth_getStorageAt', [...usdcSlot, '0x1']], /^the request is for block 1, and/],
    [proof, hash, ['eth_getStorageAt', [...usdcSlot, 'pending']], /^a pending block cannot/],
    [proof, hash, ['eth_feeHistory', ['0x1', hash, []]], /^eth_feeHistory has no bundles$/],
    [proof, hash, ['eth_getStorageAt', []], /^missing value for required argument 0$/],
    [{ ...proof, params: [usdcSlot[0], other, hash] }, hash, null, /^the evidence lacks trie-node/],
    [
      { ...proof, header: null, verified: 'none' },
      hash,
      null,
      /^the bundle contains no proof: .* none$/,
    ],
    [{ ...proof, v: 3 }, hash, null, /^the bundle is not of version 1 or 2$/],
    [{ ...proof, nodes: ['0x1'] }, hash, null, /^node 0 is not hex$/],
    [
      { ...proof, nodes: Array.from({ length: 300_001 }, () => '0x') },
      hash,
      null,
      /^nodes is not a/,
    ],
    [{ result: 1 }, hash, null, /^the bundle is not of version 1 or 2$/],
    [[], hash, null, /^a bundle is a JSON object$/],
    [
      { ...proof, method: '\u001b[2J\u009b\n' },
      hash,
      null,
      /^\\u001b\[2J\\u009b\\u000a has no bundles$/,
    ],
  ]
  for (const [bundle, at, call, sentence] of wrong) {
    const verdict = await verdictOn(bundle, at, call)
    assert.match('refused' in verdict ? verdict.refused : JSON.stringify(verdict), sentence)
  }
})

test('a request by number or tag is bundled as the one by hash that has the same answer', async () => {
  const network = createVectorNetwork()
  const latest = network.head.latest()
  const block = toHex(latest.hash)
  const twins: readonly (readonly [Request, Request])[] = [
    [
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_getBlockByHash', [block, false]],
    ],
    [
      ['eth_getTransactionByBlockNumberAndIndex', ['0x36', '0x1']],
      ['eth_getTransactionByBlockHashAndIndex', [block, '0x1']],
    ],
    [
      ['eth_getBlockTransactionCountByNumber', ['0x36']],
      ['eth_getBlockTransactionCountByHash', [block]],
    ],
    [
      ['eth_getUncleCountByBlockNumber', ['0x36']],
      ['eth_getUncleCountByBlockHash', [block]],
    ],
    [
      ['eth_getUncleByBlockNumberAndIndex', ['0x36', '0x0']],
      ['eth_getUncleByBlockHashAndIndex', [block, '0x0']],
    ],
    [
      ['debug_getRawHeader', [{ blockNumber: '0x36' }]],
      ['debug_getRawHeader', [block]],
    ],
  ]
  for (const [call, twin] of twins) {
    const { result, proof } = await bundleOf(network, ...call)
    assert.deepEqual([proof.method, proof.params], twin)
    assert.equal(proof.head, 'embedded')
    for (const request of [call, twin, null]) {
      const verdict = await verdictOn(proof, block, request)
      assert.ok('result' in verdict, JSON.stringify(verdict))
      assert.equal(verdict.result, JSON.stringify(result))
    }
  }
})

test('what is not proved says so in its bundle', async () => {
  const network = createVectorNetwork()
  const unknown = `0x${'12'.repeat(32)}`
  const expected: readonly (readonly [Request, string | null])[] = [
    [['eth_getTransactionByHash', [unknown]], 'none'],
    [['eth_getBlockByHash', [unknown, false]], 'none'],
    [['eth_chainId', []], 'trusted'],
  ]
  for (const [request, verified] of expected) {
    const { proof } = await bundleOf(network, ...request)
    const says: Partial<ProofBundle> = { verified, header: null, nodes: [], params: request[1] }
    assert.partialDeepStrictEqual(proof, says)
    assert.ok('refused' in (await verdictOn(proof, unknown)))
  }
})

test('every operation whose bundle goes by another name has that other one, with a bundle', () => {
  for (const { bundle } of operations.values()) {
    if (bundle?.as === undefined) continue
    const twin = operations.get(bundle.as)?.bundle
    assert.ok(twin !== undefined && twin.as === undefined)
  }
})

test('logs of a range are proved complete: every header down to the oldest, and the receipts no bloom excludes', async () => {
  const log = (fill: number): Log => ({
    address: new Uint8Array(20).fill(fill),
    topics: [new Uint8Array(32).fill(fill)],
    data: Uint8Array.of(fill),
  })
  const { network, blocks } = createLogChain([[], [[log(1)]], [[log(2)], [log(1)]], [], [[log(3)]]])
  const newest = toHex(blocks.at(-1)?.hash ?? new Uint8Array(0))
  const address = toHex(log(1).address)
  const requests: readonly (readonly [object, string, readonly unknown[]])[] = [
    [
      { fromBlock: '0x1', toBlock: 'latest', address },
      newest,
      [{ fromBlock: '0x1', toBlock: '0x4', address: [address], topics: [] }],
    ],
    [
      { fromBlock: 'earliest', toBlock: '0x4', topics: [null] },
      newest,
      [{ fromBlock: '0x0', toBlock: '0x4', address: [], topics: [null] }],
    ],
    [{ address }, newest, [{ blockHash: newest, address: [address], topics: [] }]],
    [{ blockHash: newest }, newest, [{ blockHash: newest, address: [], topics: [] }]],
  ]
  for (const [filter, block, params] of requests) {
    const { result, proof } = await bundleOf(network, 'eth_getLogs', [filter])
    assert.deepEqual(proof.params, params)
    for (const request of [['eth_getLogs', [filter]] as const, null]) {
      const verdict = await verdictOn(proof, block, request)
      assert.ok('result' in verdict, JSON.stringify(verdict))
      assert.equal(verdict.result, JSON.stringify(result))
    }
    for (const index of proof.nodes.keys()) {
      const without = { ...proof, nodes: proof.nodes.toSpliced(index, 1) }
      assert.ok('refused' in (await verdictOn(without, block)), `without node ${index}`)
    }
  }
  const first = await bundleOf(network, 'eth_getLogs', [{ fromBlock: '0x1', address }])
  assert.equal((first.result as unknown[]).length, 2)
  const narrower = await verdictOn(first.proof, newest, ['eth_getLogs', [{ fromBlock: '0x2' }]])
  assert.match('refused' in narrower ? narrower.refused : '', /^the bundle is for/)
})
