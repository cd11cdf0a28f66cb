// Other chain engines behind Cairn: direct replies equal proved replies through Cairn, except for known deviations of the engines.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import test, { type TestContext } from 'node:test'
import { JsonRpcProvider, Wallet } from 'ethers'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { type Answer, startBehind } from '../behind-upstreams.ts'
import { mappingSlot, storageInit, word } from '../fakes/storage-contract.ts'
import { anvilBinary } from '../../bench/servers/anvil.ts'
import {
  type EngineUpstream,
  engineChainId,
  startAnvilUpstream,
  startEngineUpstream,
} from './engine-upstream.ts'

/** Members that only one side has, each with the reason why this is valid. */
const excuses: Readonly<Record<string, string>> = {
  yParity: 'EDR leaves it out',
  chainId: 'EDR leaves it out of legacy transactions',
  totalDifficulty: 'EDR still gives it',
  blockTimestamp: 'a newer member of transactions and logs that EDR does not know',
  logs: 'compared log by log, without the members above',
  blobGasPrice: 'anvil gives it for transactions without blobs',
  blobGasUsed: 'anvil gives it for transactions without blobs',
  root: 'EDR and anvil give a root next to the status',
}

/** Members with another format, each with the reason why this is valid. */
const differing: Readonly<Record<string, string>> = {
  size: 'EDR measures another encoding of the block',
}

type Json = Record<string, unknown>

test('EDR and EDR through Cairn agree, except for known deviations', async (t) => {
  const engine = await startEngineUpstream(t)
  if (engine === null) return t.skip('EDR is not installed')
  await compare(t, engine)
})

test(
  'anvil and anvil through Cairn agree, except for known deviations',
  { skip: existsSync(anvilBinary) ? false : 'anvil is not installed in bench/peers' },
  async (t) => {
    const engine = await startAnvilUpstream(t)
    if (engine === null) return t.skip('anvil does not start')
    await compare(t, engine)
  },
)

async function compare(t: TestContext, engine: EngineUpstream): Promise<void> {
  const contract = await makeBlocks(t, engine)
  const cairn = await startBehind(t, [{ url: engine.url, trusted: true }], {
    chainId: engineChainId,
    verify: 'require',
    heads: { pollMs: 50 },
  })
  const head = Number(await engine.say<string>('eth_blockNumber'))
  assert.ok(head >= 4)
  let compared = 0
  for (let number = 1; number <= head; number += 1) {
    const block = await engine.say<Json>('eth_getBlockByNumber', quantity(number), true)
    for (const [method, params] of readsOf(block, contract)) {
      const straight = await engine.say(method, ...params)
      const through = await cairn.ask(method, params)
      const about = `${method} ${JSON.stringify(params)}: ${through.text.slice(0, 400)}`
      assert.equal(through.level, 'proof', about)
      assert.deepEqual(plain(through.result, straight), plain(straight, through.result), about)
      compared += 1
    }
  }
  t.diagnostic(`${compared} answers compared`)
  assert.deepEqual(await cairn.invalidReplies(), [])
  // Its first block does not commit to the root of an empty list: Cairn refuses it and names the root.
  const genesis = await engine.say<Json>('eth_getBlockByNumber', '0x0', false)
  const refused = await cairn.ask('eth_getBlockByHash', [genesis['hash'], true])
  if (genesis['transactionsRoot'] !== emptyRoot) assertRefused(refused, genesis['transactionsRoot'])
}

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

function assertRefused({ error, text }: Answer, expected: unknown): void {
  assert.equal(error?.code, -32002, text)
  assert.equal(error.message, 'no source could prove the answer')
  const { kind, expected: root } = error.data as Json
  assert.deepEqual([kind, root], ['transactions', expected], text)
}

/** Transactions of types 0, 1 and 2, a deployment among them. Returns its address. */
async function makeBlocks(t: TestContext, engine: EngineUpstream): Promise<string> {
  const provider = new JsonRpcProvider(engine.url, undefined, {
    batchMaxCount: 1,
    cacheTimeout: -1,
    pollingInterval: 50,
  })
  t.after(() => provider.destroy())
  const wallet = new Wallet(devAccounts[0]?.privateKey ?? '', provider)
  const deployed = await wallet.sendTransaction({ data: storageInit })
  await engine.mine()
  const contract = (await deployed.wait())?.contractAddress ?? ''
  for (const type of [0, 1, 2]) {
    const data = `0x${word(7 + type)}${word(40 + type)}`
    await wallet.sendTransaction({ type, to: contract, data, gasLimit: 100_000n })
    await engine.mine()
  }
  return contract
}

function readsOf(block: Json, contract: string): readonly (readonly [string, unknown[]])[] {
  const { hash, transactions } = block as { hash: string; transactions: Json[] }
  const pinned = { blockHash: hash }
  const sender = devAccounts[0]?.address
  return [
    ['eth_getBlockByHash', [hash, true]],
    ['eth_getBlockByHash', [hash, false]],
    ['eth_getStorageAt', [contract, `0x${word(7)}`, pinned]],
    ['eth_getStorageAt', [contract, mappingSlot, pinned]],
    ['eth_getStorageAt', [`0x${'11'.repeat(20)}`, `0x${word(0)}`, pinned]],
    ['eth_getBalance', [sender, pinned]],
    ['eth_getTransactionCount', [sender, pinned]],
    ['eth_getCode', [contract, pinned]],
    ['eth_getBlockTransactionCountByHash', [hash]],
    ['eth_getTransactionByBlockHashAndIndex', [hash, '0x0']],
    ['eth_getTransactionByBlockHashAndIndex', [hash, '0x7']],
    ...transactions.flatMap((transaction): [string, unknown[]][] => [
      ['eth_getTransactionByHash', [transaction['hash']]],
      ['eth_getTransactionReceipt', [transaction['hash']]],
    ]),
  ]
}

/** Removes the permitted deviations from `value`, unless `other` has the same format; pads integers of signatures. */
function plain(value: unknown, other: unknown): unknown {
  if (Array.isArray(value)) {
    const others = Array.isArray(other) ? (other as unknown[]) : []
    return value.map((item, at) => plain(item, others[at]))
  }
  if (typeof value !== 'object' || value === null) return value
  const counterpart = (typeof other === 'object' ? other : null) as Json | null
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(name in differing))
      .filter(
        ([name]) => name in excuses === false || (counterpart !== null && name in counterpart),
      )
      .map(([name, member]) => [
        name,
        name === 'r' || name === 's'
          ? `0x${String(member).slice(2).padStart(64, '0')}`
          : plain(member, counterpart?.[name]),
      ]),
  )
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
