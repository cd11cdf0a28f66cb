// The blocks that a search covers, and the errors of searches that cannot cover all of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogChain } from '../../../../test/fakes/upstream/log-chain.ts'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { systemClock } from '../../../base/clock.ts'
import { toHex } from '../../../base/hex.ts'
import type { LogObject } from '../../../chain/log-object.ts'
import { createEthGetLogs } from './eth_getLogs.ts'

const ethGetLogs = createEthGetLogs(systemClock)
const log = { address: new Uint8Array(20).fill(1), topics: [], data: new Uint8Array(0) }
const chain = createLogChain([[], [[log]], [[log]], [[log]]])

async function search(filter: unknown) {
  const answer = await runOperation(ethGetLogs, chain.network, [filter])
  const numbers = (answer.result as readonly LogObject[]).map(({ blockNumber }) => blockNumber)
  return { ...answer, numbers }
}

test('both ends of a range are covered, and every answer is proved', async () => {
  const cases: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ['0x3']],
    [{ fromBlock: 'earliest' }, ['0x1', '0x2', '0x3']],
    [{ fromBlock: '0x1', toBlock: '0x2' }, ['0x1', '0x2']],
    [{ fromBlock: '0x0', toBlock: '0x0' }, []],
    [{ blockHash: toHex(chain.blocks[2]?.hash ?? new Uint8Array(0)) }, ['0x2']],
  ]
  for (const [filter, expected] of cases) {
    const { numbers, levels } = await search(filter)
    assert.deepEqual([numbers, levels], [expected, ['proof']])
  }
})

test('the block shown is the newest of the range', async () => {
  const { blocks } = await search({ fromBlock: 'earliest', toBlock: '0x2' })
  assert.deepEqual([blocks.at(-1)?.number, blocks.at(-1)?.anchor], [2n, 'embedded'])
  const hash = toHex(chain.blocks[1]?.hash ?? new Uint8Array(0))
  const named = await search({ blockHash: hash })
  assert.deepEqual([named.blocks[0]?.number, named.blocks[0]?.anchor], [1n, undefined])
})

test('a range that cannot be covered is an error, never fewer logs', async () => {
  const refused = [
    [{ fromBlock: '0x2', toBlock: '0x1' }, 'bad_params', 'invalid block range params'],
    [{ toBlock: '0x1' }, 'bad_params', 'invalid block range params'],
    [{ fromBlock: 'latest', toBlock: '0x2' }, 'bad_params', 'invalid block range params'],
    [{ fromBlock: 'latest', toBlock: 'earliest' }, 'bad_params', 'invalid block range params'],
    [{ fromBlock: '0x1', toBlock: 'earliest' }, 'bad_params', 'invalid block range params'],
    [{ fromBlock: '0x4' }, 'bad_params', 'invalid block range params'],
    [{ toBlock: '0x4' }, 'bad_params', 'block range extends beyond current head block'],
    [
      { fromBlock: '0x9', toBlock: '0x9' },
      'bad_params',
      'block range extends beyond current head block',
    ],
    [{ fromBlock: 'pending' }, 'bad_params', 'pending logs are not supported'],
    [{ blockHash: `0x${'ab'.repeat(32)}` }, 'unknown_block', 'unknown block'],
  ] as const
  for (const [filter, code, message] of refused) {
    await assert.rejects(search(filter), { code, message })
  }
})

test('a search refused for its time is not run again while the client repeats it', async () => {
  let now = 0
  const clock = { ...systemClock, monotonic: () => (now += 6_000) }
  const slow = createEthGetLogs(clock)
  const again = () => runOperation(slow, chain.network, [{ fromBlock: 'earliest' }])
  const timedOut = { code: 'over_range', message: 'query timeout exceeded' }
  await assert.rejects(again(), timedOut)
  const read = chain.requested.length
  await assert.rejects(again(), timedOut)
  assert.equal(chain.requested.length, read)
})
