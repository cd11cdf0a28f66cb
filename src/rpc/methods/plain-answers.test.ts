// Reads of one account, and answers that need no chain.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOperation } from '../../../test/fakes/rpc-call.ts'
import { createStateNetwork } from '../../../test/fakes/upstream/state-network.ts'
import {
  type AccountState,
  emptyTrieRoot,
  encodeAccountState,
} from '../../codec/ethereum/account-state.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { buildTrie } from '../../codec/ethereum/trie-build.ts'
import type { Network } from '../../chain/network.ts'
import { systemClock } from '../../base/clock.ts'
import { createSenderCache } from '../../chain/sender-cache.ts'
import { createRpcOperations } from './index.ts'

const operations = createRpcOperations({
  clientVersion: 'Cairn/v0.0.0/test',
  clock: systemClock,
  findSender: createSenderCache(1_000).find,
})
const holder = new Uint8Array(20).fill(1)
const code = Uint8Array.of(0x5f, 0x5f, 0xf3)

/** One block whose state contains one account. */
function createOneAccountNetwork(): Network {
  const account: AccountState = {
    nonce: 0x10n,
    balance: 255n,
    storageRoot: emptyTrieRoot,
    codeHash: keccak256(code),
  }
  const { root, nodes } = buildTrie([[keccak256(holder), encodeAccountState(account)]])
  return createStateNetwork({ root, nodes, codes: [code] })
}

function run(method: string, params: readonly unknown[]) {
  const operation = operations.get(method)
  assert(operation !== undefined)
  return runOperation(operation, createOneAccountNetwork(), params)
}

const address = `0x${'01'.repeat(20)}`
const absent = `0x${'02'.repeat(20)}`

test('balance, count, code and storage of an account are proved, and so is their absence', async () => {
  const zeros = `0x${'0'.repeat(64)}`
  const reads: readonly (readonly [string, readonly unknown[], string])[] = [
    ['eth_getBalance', [address], '0xff'],
    ['eth_getBalance', [absent, 'latest'], '0x0'],
    ['eth_getTransactionCount', [address, '0x0'], '0x10'],
    ['eth_getTransactionCount', [absent], '0x0'],
    ['eth_getCode', [address, 'pending'], '0x5f5ff3'],
    ['eth_getCode', [absent], '0x'],
    ['eth_getStorageAt', [address, '0x0'], zeros],
    ['eth_getStorageAt', [absent, '0x0', 'earliest'], zeros],
  ]
  for (const [method, params, expected] of reads) {
    const { result, levels, blocks } = await run(method, params)
    assert.deepEqual([method, result, levels], [method, expected, ['proof']])
    assert.equal(blocks[0]?.anchor, 'embedded')
  }
})

test('a block without transactions is whole without asking for its lists', async () => {
  const { result, levels } = await run('eth_getBlockByNumber', ['latest', true])
  assert.partialDeepStrictEqual(result, { number: '0x0', transactions: [], uncles: [] })
  assert.equal(Object.hasOwn(result as object, 'withdrawals'), false)
  assert.deepEqual(levels, ['proof'])
  const receipts = await run('eth_getBlockReceipts', ['0x0'])
  assert.deepEqual(receipts.result, [])
})

test('local answers carry no level and no block', async () => {
  const answers: readonly (readonly [string, readonly unknown[], unknown])[] = [
    ['web3_clientVersion', [], 'Cairn/v0.0.0/test'],
    ['net_listening', [], true],
    ['net_version', [], '1337'],
    ['eth_syncing', [], false],
    ['eth_accounts', [], []],
    ['eth_requestAccounts', [], []],
    ['eth_mining', [], false],
    ['eth_pendingTransactions', [], []],
    ['eth_hashrate', [], '0x0'],
    ['eth_protocolVersion', [], '0x44'],
    ['net_peerCount', [], '0x0'],
    [
      'web3_sha3',
      ['0x68656c6c6f20776f726c64'],
      '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
    ],
  ]
  for (const [method, params, expected] of answers) {
    assert.deepEqual(await run(method, params), { result: expected, levels: [], blocks: [] })
  }
})

test('a network whose schedule is unknown has no eth_config', async () => {
  await assert.rejects(run('eth_config', []), {
    code: 'no_method',
    message: 'The method eth_config does not exist/is not available',
  })
})
