// eth_simulateV1 of a started server: requests of viem, and refusals over the wire.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPublicClient, http, parseAbi, parseEther } from 'viem'
import { localhost } from 'viem/chains'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { type Started, startCairn } from '../started-server.ts'

const alice = devAccounts[0]?.address as `0x${string}`
const bob = devAccounts[1]?.address as `0x${string}`
const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'

let cairn: Started

before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

const client = () =>
  createPublicClient({ chain: localhost, transport: http(`${cairn.url}/v3/${cairn.apiKey}`) })

test('simulateBlocks of viem returns blocks with the results of their calls', async () => {
  const abi = parseAbi(['function first() view returns (uint256)'])
  const blocks = await client().simulateBlocks({
    blocks: [
      {
        blockOverrides: { time: 1_900_000_000n, feeRecipient: bob },
        stateOverrides: [{ address: bob, balance: parseEther('1') }],
        calls: [
          { account: alice, to: bob, value: parseEther('2') },
          { to: sample, abi, functionName: 'first' },
        ],
      },
      { calls: [{ account: bob, to: alice, value: parseEther('3') }] },
    ],
    returnFullTransactions: true,
    traceTransfers: true,
  })
  assert.deepEqual(
    blocks.map(({ number, timestamp, calls }) => [
      number,
      timestamp,
      calls.map(({ status }) => status),
    ]),
    [
      [1n, 1_900_000_000n, ['success', 'success']],
      [2n, 1_900_000_012n, ['success']],
    ],
  )
  const [first, second] = blocks
  assert.equal(first?.calls[1]?.result, 1234n)
  assert.equal(first?.calls[0]?.gasUsed, 21_000n)
  assert.equal(first?.calls[0]?.logs?.[0]?.address, `0x${'ee'.repeat(20)}`)
  assert.equal(second?.parentHash, first?.hash)
  assert.equal(second?.calls[0]?.logs?.[0]?.blockHash, second?.hash)
  const sent: unknown = first?.transactions[0]
  assert.partialDeepStrictEqual(sent, { from: alice.toLowerCase(), nonce: 0 })
  assert.equal(await client().getBlockNumber(), 0n)
})

test('simulateCalls of viem returns the asset changes of the calls', async () => {
  const { results, assetChanges } = await client().simulateCalls({
    account: alice,
    calls: [{ to: bob, value: parseEther('1') }, { to: sample }],
    traceAssetChanges: true,
  })
  assert.deepEqual(
    results.map(({ status }) => status),
    ['success', 'success'],
  )
  assert.equal(assetChanges[0]?.value.diff, -parseEther('1'))
  const failing = { address: bob, code: '0x5f5ffd' } as const
  const { results: failed } = await client().simulateCalls({
    account: alice,
    calls: [{ to: bob }],
    stateOverrides: [failing],
  })
  assert.equal(failed[0]?.status, 'failure')
})

test('a reply is labelled trusted, and each refusal has its own code', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_simulateV1' }
  const reply = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, params: [{ blockStateCalls: [{}] }] }),
  })
  assert.equal(reply.headers.get('x-cairn-verified'), 'trusted')
  assert.equal(((await reply.json()) as { result: unknown[] }).result.length, 1)
  const refused = async (simulation: unknown, code: number, message: RegExp) => {
    const { error } = (await cairn.rpc('eth_simulateV1', [simulation])) as {
      error: { code: number; message: string }
    }
    assert.equal(error.code, code)
    assert.match(error.message, message)
  }
  const calls = [{ from: alice, to: bob, nonce: '0x5' }]
  const validated = { blockStateCalls: [{ calls }], validation: true }
  await refused({}, -32602, /^empty input$/)
  await refused(validated, -38011, /nonce too high/)
  const many = Array.from({ length: 257 }, () => ({}))
  await refused({ blockStateCalls: many }, -38026, /^too many blocks$/)
  const chained = [{ calls: [{ to: bob, chainId: '0x1' }] }]
  await refused({ blockStateCalls: chained }, -32000, /chainId does not match/)
  const odd = [{ blockOverrides: { difficulty: '0x1' } }]
  await refused({ blockStateCalls: odd }, -32602, /block override "difficulty" is not supported/)
  const crowd = [{ calls: Array.from({ length: 5_001 }, () => ({})) }]
  await refused({ blockStateCalls: crowd }, -38026, /^too many calls: 5001 > 5000$/)
})
