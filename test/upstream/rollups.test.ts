// Blocks of OP Mainnet, Arbitrum and Polygon behind upstreams: transactions, receipts and logs are proved, members that no root
// commits to are computed or labelled `block`, and a node that changes any field never changes a proved answer.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import {
  createInvalidReplyLog,
  type InvalidReplyLog,
} from '../../src/chain/upstream/pool/invalid-reply-log.ts'
import { checkBundle } from '../../src/cli/check-bundle.ts'
import { UsageError } from '../../src/cli/usage-error.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { bundleOf } from '../fakes/bundles.ts'
import { openChainDatabase } from '../fakes/chain-database.ts'
import {
  earlyOpBlock,
  type Json,
  nitroBlock,
  opBlock,
  polygonBlock,
  renumbered,
  type RollupBlock,
} from '../fakes/rollups/rollup-blocks.ts'
import { type RollupNode, startRollupNode } from '../fakes/rollups/rollup-node.ts'
import { openUpstreamCase, type UpstreamCase } from '../fakes/upstream/upstream-network.ts'
import { findKnownNetwork } from '../../src/base/known-networks.ts'
import { labelOn } from '../../src/rpc/relay/proof-by-network.ts'
import type { VerifyMode } from '../../src/rpc/relay/prove-or-relay.ts'
import { servingPolicies } from '../../src/rpc/relay/relayed-methods.ts'

type Options = {
  readonly hasRaw?: boolean
  readonly verify?: VerifyMode
}

async function open(
  t: TestContext,
  block: RollupBlock,
  { hasRaw = false, verify = 'require' }: Options = {},
): Promise<readonly [UpstreamCase, RollupNode]> {
  const node = await startRollupNode(t, block, { hasRaw })
  const opened = await openUpstreamCase({
    name: 'case',
    stubs: [node],
    verify,
    ledger: ledgerOf(t),
  })
  t.after(async () => {
    await opened.idle()
    await opened.close()
  })
  return [opened, node]
}

function ledgerOf(t: TestContext): InvalidReplyLog {
  const { database } = openChainDatabase(t)
  const parts = { writer: createInlineWriter(database), clock: systemClock, log: silentLog }
  return createInvalidReplyLog({ network: 'case', ...parts })
}

type Blocks = Readonly<Record<'op' | 'early' | 'nitro' | 'tips' | 'polygon', RollupBlock>>
let blocks: Blocks

before(async () => {
  blocks = {
    op: await opBlock(),
    early: await earlyOpBlock(),
    nitro: await nitroBlock(false),
    tips: await nitroBlock(true),
    polygon: await polygonBlock(),
  }
})

type Labels = { readonly transactions: string; readonly receipts: string }

/** Asserts that every transaction and receipt, by each method that returns it, equals that of a node of the chain. */
async function checkAll(opened: UpstreamCase, block: RollupBlock, labels: Labels): Promise<void> {
  const { hash, json, receipts, rawTransactions, rawReceipts } = block
  const check = async (
    method: string,
    params: readonly unknown[],
    label: string,
    expected: unknown,
  ) => {
    const answer = await opened.read(method, params)
    assert.ok('result' in answer, `${method}: ${JSON.stringify(answer)}`)
    assert.deepEqual(answer.result, expected, method)
    assert.equal(answer.level, label, method)
  }
  const whole = await opened.read('eth_getBlockByHash', [hash, true])
  assert.ok('result' in whole, JSON.stringify(whole))
  const { size: _, ...shown } = whole.result as Json
  const { size: __, ...expected } = json
  assert.deepEqual(shown, expected)
  assert.equal(whole.level, labels.transactions)
  const bare = await opened.read('eth_getBlockByHash', [hash, false])
  assert.ok('result' in bare)
  assert.equal(bare.level, 'proof')

  for (const [index, transaction] of json.transactions.entries()) {
    const at = `0x${index.toString(16)}`
    const isDeposit = transaction['type'] === '0x7e'
    const label = isDeposit ? labels.transactions : 'proof'
    await check('eth_getTransactionByHash', [transaction['hash']], label, transaction)
    await check('eth_getTransactionByBlockHashAndIndex', [hash, at], label, transaction)
    const raw = rawTransactions[index]
    await check('eth_getRawTransactionByHash', [transaction['hash']], 'proof', raw)
    const receipt = receipts[index]
    const receiptLabel = isDeposit ? labels.transactions : labels.receipts
    const own =
      receiptLabel === 'proof' || labels.receipts === 'block' ? labels.receipts : receiptLabel
    await check('eth_getTransactionReceipt', [transaction['hash']], own, receipt)
  }
  const all = labels.transactions === 'block' ? 'block' : labels.receipts
  await check('eth_getBlockReceipts', [hash], all, receipts)
  await check('debug_getRawReceipts', [hash], 'proof', rawReceipts)
  const logs = receipts.flatMap((receipt) => receipt['logs'] as readonly Json[])
  await check('eth_getLogs', [{ blockHash: hash }], 'proof', logs)
}

const proof = { transactions: 'proof', receipts: 'proof' }

for (const hasRaw of [true, false]) {
  const from = hasRaw ? 'bytes' : 'JSON'

  test(`a block of OP Mainnet is proved from ${from}, with its fees computed`, async (t) => {
    const [opened, node] = await open(t, blocks.op, { hasRaw })
    await checkAll(opened, blocks.op, proof)
    // Only hints.
    assert.equal(node.receivedMethods().includes('eth_getTransactionReceipt'), false)
  })

  test(`a block of Arbitrum is proved from ${from}, and its receipts show what only nodes know`, async (t) => {
    const [opened] = await open(t, blocks.nitro, { hasRaw })
    await checkAll(opened, blocks.nitro, { transactions: 'proof', receipts: 'block' })
  })

  test(`nonces of deposits before Canyon are labelled block, from ${from}`, async (t) => {
    const [opened] = await open(t, blocks.early, { hasRaw })
    await checkAll(opened, blocks.early, { transactions: 'block', receipts: 'proof' })
  })
}

test('Arbitrum shows tips where its header says that they are collected', async (t) => {
  const [opened] = await open(t, blocks.tips)
  await checkAll(opened, blocks.tips, { transactions: 'proof', receipts: 'block' })
})

test('a block of Polygon is proved with its state sync', async (t) => {
  const [opened] = await open(t, blocks.polygon, { hasRaw: true })
  await checkAll(opened, blocks.polygon, proof)
})

test('state sync cannot be rebuilt from JSON: refused, or the header is proved', async (t) => {
  const { hash, json, receipts } = blocks.polygon
  const [strict] = await open(t, blocks.polygon)
  assert.deepEqual(await strict.read('eth_getBlockByHash', [hash, true]), { fault: 'unprovable' })
  const [opened] = await open(t, blocks.polygon, { verify: 'prefer' })
  const answer = await opened.read('eth_getBlockByHash', [hash, true])
  assert.ok('result' in answer)
  assert.deepEqual(answer.result, json)
  assert.equal(answer.level, 'block')
  const proved = await opened.read('debug_getRawReceipts', [hash])
  assert.ok('result' in proved)
  assert.equal(proved.level, 'proof')
  assert.equal((proved.result as unknown[]).length, receipts.length)
})

test('lists from before the first block that the table names are not proved', async (t) => {
  for (const [known, number] of [
    [blocks.op, 105_235_062n],
    [blocks.nitro, 22_207_817n],
    [blocks.polygon, 80_084_799n],
  ] as const) {
    const block = renumbered(known, number)
    const [strict] = await open(t, block, { hasRaw: true })
    const refused = await strict.read('eth_getBlockReceipts', [block.hash])
    assert.deepEqual(refused, { fault: 'unprovable' })
    const [opened] = await open(t, block, { hasRaw: true, verify: 'prefer' })
    const answer = await opened.read('eth_getBlockReceipts', [block.hash])
    assert.ok('result' in answer)
    assert.equal(answer.level, 'block')
    assert.deepEqual(answer.result, block.receipts)
  }
})

test('a chain without a row shows the fees of its node, labelled block', async (t) => {
  const block = { ...blocks.op, chainId: 4_242n }
  const [opened] = await open(t, block)
  const answer = await opened.read('eth_getBlockReceipts', [block.hash])
  assert.ok('result' in answer)
  assert.deepEqual(answer.result, block.receipts)
  assert.equal(answer.level, 'block')
  const transactions = await opened.read('eth_getBlockByHash', [block.hash, true])
  assert.ok('result' in transactions)
  assert.equal(transactions.level, 'proof')
})

test('a bundle proves receipts of OP Mainnet, and their fees to a reader who names it', async (t) => {
  const { hash, receipts } = blocks.op
  for (const hasRaw of [true, false]) {
    const [opened] = await open(t, blocks.op, { hasRaw })
    for (const [method, params] of [
      ['eth_getBlockReceipts', [hash]],
      ['eth_getTransactionReceipt', [receipts[3]?.['transactionHash']]],
      ['eth_getTransactionReceipt', [receipts[1]?.['transactionHash']]],
    ] as const) {
      const { result, proof } = await bundleOf(opened.network, method, params)
      const folder = mkdtempSync(join(tmpdir(), 'rollups-'))
      t.after(() => rmSync(folder, { recursive: true }))
      const file = join(folder, 'reply.json')
      writeFileSync(file, JSON.stringify({ jsonrpc: '2.0', id: 1, result, proof }))
      const named = await checkBundle(file, { block: hash, network: 'optimism' })
      assert.ok(named.proved, JSON.stringify(named))
      assert.deepEqual(JSON.parse(named.result), result)
      assert.deepEqual(named.unproved, [])
      const bare = await checkBundle(file, { block: hash })
      assert.ok(bare.proved, JSON.stringify(bare))
      const isDeposit = (result as Json)['type'] === '0x7e'
      assert.equal(bare.unproved.includes('l1Fee'), !isDeposit)
    }
    await assert.rejects(checkBundle('-', { block: hash, network: 'atlantis' }), UsageError)
  }
})

test('the label of receipts is the one that the declarations give', async (t) => {
  for (const block of [blocks.op, blocks.nitro, blocks.polygon]) {
    const kind = findKnownNetwork(block.chainId)?.family ?? 'other'
    const [opened] = await open(t, block, { hasRaw: true })
    for (const [method, params] of [
      ['eth_getBlockReceipts', [block.hash]],
      ['eth_getBlockByHash', [block.hash, true]],
      ['debug_getRawReceipts', [block.hash]],
    ] as const) {
      const policy = servingPolicies.get(method) ?? assert.fail(method)
      const answer = await opened.read(method, params)
      assert.ok('result' in answer)
      assert.equal(answer.level, labelOn(policy, kind), `${method} on ${kind}`)
    }
  }
})

test('no byte that a node of Polygon changes changes a proved answer', async (t) => {
  const block = blocks.polygon
  const node = await startRollupNode(t, block, { hasRaw: true })
  const ledger = ledgerOf(t)
  const reads = [
    ['eth_getBlockByHash', [block.hash, true], block.json],
    ['eth_getBlockReceipts', [block.hash], block.receipts],
  ] as const
  for (const at of Array.from({ length: 40 }, (_, index) => 0.0125 + index / 40)) {
    node.falsify = (method, result) => {
      if (!method.startsWith('debug_getRaw')) return result
      const change = (text: string) => {
        const place = 2 + Math.floor((text.length - 2) * at)
        return `${text.slice(0, place)}${text[place] === '7' ? '8' : '7'}${text.slice(place + 1)}`
      }
      return Array.isArray(result) ? result.map(change) : change(result as string)
    }
    const opened = await openUpstreamCase({ name: 'case', stubs: [node], ledger })
    for (const [method, params, truth] of reads) {
      const answer = await opened.read(method, params)
      if (!('result' in answer)) continue
      assert.deepEqual(provedOf(answer.result), provedOf(truth), `${method} at ${at}`)
    }
    await opened.idle()
    await opened.close()
  }
})

/** Members that no root commits to: answered, but never as proved. The last one only for type 0x66. */
const claims: ReadonlySet<string> = new Set(['gasUsedForL1', 'timeboosted', 'contractAddress'])

/** Another value of the same form. */
function lieAbout(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (value === null) return `0x${'99'.repeat(20)}`
  if (Array.isArray(value)) return [...value, ...value]
  const text = value as string
  const last = text.at(-1) === '1' ? '2' : '1'
  return text === '0x' ? '0x01' : `${text.slice(0, -1)}${last}`
}

type Lie = { readonly method: string; readonly index: number; readonly name: string }

/** One falsehood for each member of each transaction and receipt. */
function liesOf({ json, receipts }: RollupBlock): readonly Lie[] {
  const all = (method: string, list: readonly Json[]) =>
    list.flatMap((one, index) => Object.keys(one).map((name) => ({ method, index, name })))
  return [
    ...all('eth_getBlockByHash', json.transactions),
    ...all('eth_getBlockReceipts', receipts),
    ...['withdrawals', 'uncles', 'extraData', 'withdrawalsRoot', 'mixHash', 'transactionsRoot'].map(
      (name) => ({ method: 'eth_getBlockByHash', index: -1, name }),
    ),
  ]
}

function tell(lie: Lie, method: string, result: unknown): unknown {
  if (method !== lie.method || result === null) return result
  const whole = result as Json
  const list = (Array.isArray(result) ? result : whole['transactions']) as Json[]
  const target = lie.index === -1 ? whole : list[lie.index]
  if (target === undefined || typeof target !== 'object') return result
  if (!Object.hasOwn(target, lie.name)) return result
  target[lie.name] = lieAbout(target[lie.name])
  return result
}

for (const name of ['op', 'nitro'] as const) {
  test(`no member that a node of ${name} changes changes a proved answer`, async (t) => {
    const block = blocks[name]
    const { hash, json, receipts } = block
    const last = json.transactions.length - 1
    const at = `0x${last.toString(16)}`
    const reads = [
      ['eth_getBlockByHash', [hash, true], json],
      ['eth_getBlockReceipts', [hash], receipts],
      ['eth_getTransactionByBlockHashAndIndex', [hash, at], json.transactions[last]],
    ] as const
    const wrong: string[] = []
    let answered = 0
    const node = await startRollupNode(t, block, { hasRaw: false })
    const ledger = ledgerOf(t)
    for (const lie of liesOf(block)) {
      node.falsify = (method, result) => tell(lie, method, result)
      const opened = await openUpstreamCase({ name: 'case', stubs: [node], ledger })
      for (const [method, params, truth] of reads) {
        const answer = await opened.read(method, params)
        if (!('result' in answer)) continue
        answered += 1
        if (answer.level === 'proof' || answer.level === 'block') {
          if (JSON.stringify(provedOf(answer.result)) === JSON.stringify(provedOf(truth))) continue
        }
        wrong.push(`${JSON.stringify(lie)} ${method} ${answer.level}`)
      }
      await opened.idle()
      await opened.close()
    }
    assert.deepEqual(wrong, [])
    assert.ok(answered > 0)
  })
}

/** Sorted by name, without claims and without `size`, which the fake node does not compute. */
function provedOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(provedOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .filter(([name]) => !(claims.has(name) && isClaim(name, value as Json)) && name !== 'size')
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, inner]) => [name, provedOf(inner)])
}

function isClaim(name: string, { type }: Json): boolean {
  return name !== 'contractAddress' || type === '0x66'
}
