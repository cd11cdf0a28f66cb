// Searching proved blocks for logs: the matches, the reads, and the limits of a search.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLogChain } from '../../test/fakes/upstream/log-chain.ts'
import { systemClock } from '../base/clock.ts'
import { toHex } from '../base/hex.ts'
import type { Log } from '../codec/ethereum/receipt.ts'
import type { ProvedHeader } from './blocks.ts'
import { type LogFilter, logsOfBlock, queryLogs } from './logs.ts'
import { resolvedRead } from './read.ts'

const signal = new AbortController().signal
const limits = { resultsMax: 100, dataBytesMax: 1_000, timeMs: 10_000, clock: systemClock }
const address = (tag: number) => new Uint8Array(20).fill(tag)
const topic = (tag: number) => new Uint8Array(32).fill(tag)
const all: LogFilter = { addresses: [], topics: [] }

function log(from: number, ...topics: number[]): Log {
  return { address: address(from), topics: topics.map(topic), data: Uint8Array.of(from) }
}

const chain = () =>
  createLogChain([
    [],
    [[log(1, 10), log(2, 10, 11)], [log(1, 12)]],
    [[]],
    [[], [log(3, 10, 11, 12)]],
    [[log(1)]],
  ])

async function find(filter: Partial<LogFilter>): Promise<readonly (readonly string[])[]> {
  const { network, blocks } = chain()
  const newest = blocks.at(-1)
  assert(newest !== undefined)
  const range = { newest, oldest: 0n }
  const logs = await queryLogs(network, range, { ...all, ...filter }, limits, signal)
  return logs.map((one) => [one.blockNumber, one.transactionIndex, one.logIndex, one.data])
}

const first = ['0x1', '0x0', '0x0', '0x01']
const second = ['0x1', '0x0', '0x1', '0x02']
const third = ['0x1', '0x1', '0x2', '0x01']
const fourth = ['0x3', '0x1', '0x0', '0x03']
const fifth = ['0x4', '0x0', '0x0', '0x01']

test('logs come oldest first, with indexes that count over their block', async () => {
  assert.deepEqual(await find({}), [first, second, third, fourth, fifth])
})

test('addresses are alternatives, topics hold by position, null is any', async () => {
  assert.deepEqual(await find({ addresses: [address(1)] }), [first, third, fifth])
  assert.deepEqual(await find({ addresses: [address(2), address(3)] }), [second, fourth])
  assert.deepEqual(await find({ topics: [[topic(10)]] }), [first, second, fourth])
  assert.deepEqual(await find({ topics: [null, [topic(11)]] }), [second, fourth])
  assert.deepEqual(await find({ topics: [[topic(11)]] }), [])
  assert.deepEqual(await find({ topics: [[topic(12), topic(10)]] }), [first, second, third, fourth])
  assert.deepEqual(await find({ addresses: [address(9)] }), [])
})

test('a filter with more positions than a log has topics does not match it, even if all are null', async () => {
  assert.deepEqual(await find({ topics: [null] }), [first, second, third, fourth])
  assert.deepEqual(await find({ topics: [null, null, null] }), [fourth])
})

test('a block that its bloom rules out is not read', async () => {
  const { network, blocks, requested } = chain()
  const [, block] = blocks
  assert(block !== undefined)
  const filter = { ...all, addresses: [address(9)] }
  assert.deepEqual(await logsOfBlock(network, block, filter, signal), [])
  assert.deepEqual(requested, [])
})

test('a range ends at its oldest block and follows parent hashes, not numbers', async () => {
  const { network, blocks } = chain()
  const newest = blocks[3]
  assert(newest !== undefined)
  const numberless = { ...network, head: { ...network.head, byNumber: () => resolvedRead(null) } }
  const logs = await queryLogs(numberless, { newest, oldest: 2n }, all, limits, signal)
  assert.deepEqual(
    logs.map(({ blockNumber }) => blockNumber),
    ['0x3'],
  )
})

test('one log above the limit refuses the whole search', async () => {
  const { network, blocks } = chain()
  const newest = blocks.at(-1)
  assert(newest !== undefined)
  const search = (resultsMax: number) =>
    queryLogs(network, { newest, oldest: 0n }, all, { ...limits, resultsMax }, signal)
  assert.equal((await search(5)).length, 5)
  await assert.rejects(search(4), {
    code: 'over_range',
    message: 'query returned more than 4 results',
  })
})

test('one byte of data above the limit refuses the whole search', async () => {
  const { network, blocks } = chain()
  const newest = blocks.at(-1)
  assert(newest !== undefined)
  const search = (dataBytesMax: number) =>
    queryLogs(network, { newest, oldest: 0n }, all, { ...limits, dataBytesMax }, signal)
  // Each of the five logs has one byte.
  assert.equal((await search(5)).length, 5)
  await assert.rejects(search(4), { code: 'response_too_large' })
})

test('a search that takes too long is refused, and one whose caller left ends', async () => {
  const { network, blocks } = chain()
  const newest = blocks.at(-1)
  assert(newest !== undefined)
  let now = 0
  const clock = { ...systemClock, monotonic: () => (now += 6) }
  const search = (patience: number, by: AbortSignal) =>
    queryLogs(network, { newest, oldest: 0n }, all, { ...limits, timeMs: patience, clock }, by)
  await assert.rejects(search(10, signal), {
    code: 'over_range',
    message: 'query timeout exceeded',
  })
  await assert.rejects(search(1000, AbortSignal.abort(new Error('left'))), { message: 'left' })
})

test('missing receipts are an error, pruned, never fewer logs', async () => {
  const { network, blocks } = chain()
  const [, block] = blocks
  assert(block !== undefined)
  await assert.rejects(
    logsOfBlock(
      {
        ...network,
        obtain: (ref, hint, by) =>
          network.obtain(ref.kind === 'receipts' ? { ...ref, hash: topic(1) } : ref, hint, by),
      },
      block,
      all,
      signal,
    ),
    { code: 'pruned' },
  )
})

test('a source that leaves out a log is refused', async () => {
  const logs = (more: readonly Log[]) => [[[log(1, 10), ...more]]]
  const incomplete = createLogChain(logs([]))
  const { network, blocks, requested } = createLogChain(logs([log(1, 11)]), (items) =>
    items.map((item) => {
      if (item.ref.kind !== 'receipts') return item
      const other = incomplete.items.find(({ ref }) => ref.kind === 'receipts')
      return { ref: item.ref, bytes: other?.bytes ?? item.bytes }
    }),
  )
  const [block] = blocks
  assert(block !== undefined)
  await assert.rejects(logsOfBlock(network, block, all, signal), { code: 'unverified' })
  assert(requested.some(({ kind }) => kind === 'receipts'))
})

test('a search finds the same logs as a check of every log', async () => {
  const tag = fc.integer({ min: 1, max: 3 })
  const anyLog = fc.tuple(tag, fc.array(tag, { maxLength: 4 })).map(([by, on]) => log(by, ...on))
  const anyBlocks = fc.array(fc.array(fc.array(anyLog, { maxLength: 3 }), { maxLength: 3 }), {
    minLength: 1,
    maxLength: 5,
  })
  const anyFilter = fc.record({
    addresses: fc.array(tag.map(address), { maxLength: 2 }),
    topics: fc.array(fc.option(fc.array(tag.map(topic), { minLength: 1, maxLength: 2 })), {
      maxLength: 4,
    }),
  })
  await fc.assert(
    fc.asyncProperty(anyBlocks, anyFilter, async (logs, filter) => {
      const { network, blocks } = createLogChain(logs)
      const range = { newest: blocks.at(-1) as ProvedHeader, oldest: 0n }
      const found = await queryLogs(network, range, filter, limits, signal)
      const expected = logs.flatMap((ofBlock, number) =>
        ofBlock
          .flat()
          .map((one, logIndex) => ({ one, number, logIndex }))
          .filter(({ one }) => isWanted(one, filter)),
      )
      assert.deepEqual(
        found.map(({ blockNumber, logIndex }) => [Number(blockNumber), Number(logIndex)]),
        expected.map(({ number, logIndex }) => [number, logIndex]),
      )
    }),
    { numRuns: 100 },
  )
})

/** Implemented independently of the code under test: over hex text. */
function isWanted(one: Log, { addresses, topics }: LogFilter): boolean {
  const inList = (value: Uint8Array | undefined, list: readonly Uint8Array[]) =>
    value !== undefined && list.map(toHex).includes(toHex(value))
  if (addresses.length > 0 && !inList(one.address, addresses)) return false
  if (topics.length > one.topics.length) return false
  return topics.every((choice, at) => choice === null || inList(one.topics[at], choice))
}
