// Calls, estimates, access lists and simulations on blocks of every fork of the test chain. The expected values are the replies of
// go-ethereum 1.17.5.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { type CallRequest, noOverrides, type SimulatedBlock } from '../../src/chain/computation.ts'
import type { AccessListReport } from '../../src/chain/computation.ts'
import { renderSimulatedBlock } from '../../src/chain/simulated-block-object.ts'
import { missingOldForks } from '../fakes/chain-vectors.ts'
import { openRecordedEngine, type RecordedEngine } from '../fakes/upstream/recorded-engine.ts'

const rich = fromHex('0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f')
const contract = fromHex('0x7dcd17433742f4c0ca53122ab541d0ba67fc27df')
const other = fromHex(`0x${'11'.repeat(20)}`)
const accessList = [{ address: other, storageKeys: [] }]
const skip = { skip: missingOldForks }
let chain: RecordedEngine

before(async (t) => {
  chain = await openRecordedEngine(t as never)
})

const at = (number: bigint) => chain.hashOf(number) ?? assert.fail()
const asked = (request: CallRequest, number: bigint) => ({
  request,
  blockHash: at(number),
  overrides: noOverrides,
})
const call = async (request: CallRequest, number: bigint) =>
  toHex((await chain.run({ kind: 'call', ...asked(request, number) })) as Uint8Array)

async function simulate(request: CallRequest | null, number: bigint, validation = false) {
  const calls = request === null ? [] : [request]
  const simulation = {
    blocks: [{ ...noOverrides, calls }],
    traceTransfers: false,
    validation,
  }
  const made = await chain.run({ kind: 'simulate', blockHash: at(number), simulation })
  const [block] = made as readonly SimulatedBlock[]
  return renderSimulatedBlock(block ?? assert.fail(), true) as {
    readonly hash: string
    readonly difficulty: string
    readonly calls: readonly { readonly status: string; readonly gasUsed: string }[]
    readonly transactions: readonly { readonly type: string; readonly gasPrice: string }[]
  }
}

test('before its fork an access list is charged and has no effect', skip, async () => {
  assert.equal(await call({ to: other, accessList }, 5n), '0x')
  await assert.rejects(call({ to: other, accessList, gas: 23_399n }, 5n), {
    code: 'execution_failed',
    message: 'intrinsic gas too low: gas 23399, minimum needed 23400',
  })
  const report = (await chain.run({
    kind: 'access-list',
    ...asked({ from: rich, to: contract, data: Uint8Array.of(1) }, 5n),
  })) as AccessListReport
  assert.equal(report.gasUsed, 0xd2b8n)
  const slots = report.accessList.flatMap(({ storageKeys }) => storageKeys.map(toHex))
  assert.deepEqual(slots, [
    `0x${'0'.repeat(64)}`,
    '0x5fe7f977e71dba2ea1a68e21057beebb9be2ac30c6410aa38d4f3fbe41dcffd2',
  ])
})

test('before London fee caps have no effect', skip, async () => {
  for (const number of [5n, 25n]) {
    assert.equal(await call({ from: other, to: other, maxFeePerGas: 5n }, number), '0x')
  }
  const { transactions, calls } = await simulate({ from: rich, to: other, maxFeePerGas: 5n }, 1n)
  assert.deepEqual([transactions[0]?.type, transactions[0]?.gasPrice], ['0x0', '0x0'])
  assert.deepEqual([calls[0]?.status, calls[0]?.gasUsed], ['0x1', '0x5208'])
  const london = await simulate({ from: rich, to: other }, 27n)
  assert.equal(london.transactions[0]?.type, '0x2')
})

test('instructions and transactions of a later fork are refused with geth’s texts', async () => {
  await assert.rejects(call({ data: fromHex('0x5f5ff3') }, 0x20n), {
    code: 'execution_failed',
    message: 'invalid opcode: PUSH0',
  })
  // After a jump, because the EVM library then no longer knows which code it executes.
  await assert.rejects(call({ data: fromHex('0x6004565b5b5f') }, 0x20n), {
    message: 'invalid opcode: PUSH0',
  })
  const blobVersionedHashes = [fromHex(`0x01${'00'.repeat(31)}`)]
  const authority = { chainId: 0n, address: other, nonce: 0n, yParity: 0n, r: 1n, s: 1n }
  for (const later of [{ blobVersionedHashes }, { authorizationList: [authority] }]) {
    await assert.rejects(call({ to: other, ...later }, 0x20n), {
      code: 'execution_failed',
      message: 'transaction type not supported',
    })
  }
})

test('data costs the price of its fork', skip, async () => {
  const request = { from: rich, to: other, data: fromHex('0x0102') }
  const used = async (number: bigint) => (await simulate(request, number)).calls[0]?.gasUsed
  assert.deepEqual([await used(5n), await used(0x14n)], ['0x5290', '0x5228'])
  await assert.rejects(call({ ...request, gas: 21_135n }, 5n), /minimum needed 21136/)
})

test(
  'a simulated block pays its miner before the merge, and has no difficulty after it',
  skip,
  async () => {
    const early = await simulate(null, 1n)
    // ethereum/execution-apis, tests/eth_simulateV1, empty-with-block-num-set-firstblock (CC0-1.0).
    assert.equal(early.hash, '0x12440c5fd94e6727dcfaaeb119e10f7f09877697ff623b91e6250a7adbf3db88')
    assert.equal(early.difficulty, '0x20000')
    // Block 36 is the first after the merge.
    const [before, merged] = [await simulate(null, 0x22n), await simulate(null, 0x23n)]
    assert.deepEqual([before.difficulty === '0x0', merged.difficulty], [false, '0x0'])
  },
)
