import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { parseLogFilter } from './log-filter.ts'

const address = `0x${'aB'.repeat(20)}`
const topic = `0x${'Cd'.repeat(32)}`

function refusal(value: unknown): string {
  try {
    parseLogFilter(value, 0)
  } catch (thrown) {
    assert(thrown instanceof Fault)
    assert.equal(thrown.code, 'bad_params')
    return thrown.message
  }
  return 'accepted'
}

function topicsOf(topics: unknown): unknown {
  return parseLogFilter({ topics }, 0).filter.topics.map((choice) => choice?.map(toHex) ?? null)
}

test('nothing given is everything in the latest block', () => {
  const nothing = {
    blocks: { from: { tag: 'latest' }, to: { tag: 'latest' } },
    filter: { addresses: [], topics: [] },
  }
  for (const value of [null, {}, { address: null, fromBlock: null, topics: null }, { more: 1 }]) {
    assert.deepEqual(parseLogFilter(value, 0), nothing)
  }
})

test('blocks are a range of tags and numbers, or one hash, never both', () => {
  const range = parseLogFilter({ fromBlock: '0x2', toBlock: 'safe' }, 0)
  assert.deepEqual(range.blocks, { from: { number: 2n }, to: { tag: 'safe' } })
  const one = parseLogFilter({ blockHash: topic }, 0)
  assert('hash' in one.blocks)
  assert.equal(toHex(one.blocks.hash), topic.toLowerCase())
  assert.equal(
    refusal({ blockHash: topic, toBlock: '0x1' }),
    'invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
  )
  assert.equal(refusal({ fromBlock: '2' }), 'invalid argument 0: hex string without 0x prefix')
  assert.equal(
    refusal({ blockHash: '0x12' }),
    'invalid argument 0: hex string has length 2, want 64 for common.Hash',
  )
})

test('an address stands alone or in a list', () => {
  for (const value of [address, [address]]) {
    const { addresses } = parseLogFilter({ address: value }, 0).filter
    assert.deepEqual(addresses.map(toHex), [address.toLowerCase()])
  }
  assert.deepEqual(parseLogFilter({ address: [] }, 0).filter.addresses, [])
  const refused = [
    [7, 'invalid argument 0: invalid addresses in query'],
    [[address, 7], 'invalid argument 0: non-string address at index 1'],
    [
      [address, '0x12'],
      'invalid argument 0: invalid address at index 1: hex has invalid length 1 after decoding; expected 20 for address',
    ],
    ['', 'invalid argument 0: invalid address: empty hex string'],
    ['12', 'invalid argument 0: invalid address: hex string without 0x prefix'],
    [Array(1001).fill(address), 'exceed max addresses or topics per search position'],
  ]
  for (const [value, text] of refused) assert.equal(refusal({ address: value }), text)
})

test('a topic position is one topic, a choice, or any', () => {
  const lower = topic.toLowerCase()
  assert.deepEqual(topicsOf([topic]), [[lower]])
  assert.deepEqual(topicsOf([null, [topic, topic]]), [null, [lower, lower]])
  assert.deepEqual(topicsOf([[], [topic, null, 'never read']]), [null, null])
  assert.deepEqual(topicsOf([]), [])
  const refused = [
    [
      '0x',
      'invalid argument 0: json: cannot unmarshal string into Go struct field input.topics of type []interface {}',
    ],
    [[topic, topic, topic, topic, topic], 'exceed max topics'],
    [[7], 'invalid topic(s)'],
    [[[7]], 'invalid topic(s)'],
    [
      ['0x12'],
      'invalid argument 0: hex has invalid length 1 after decoding; expected 32 for topic',
    ],
    [[Array(1001).fill(topic)], 'exceed max addresses or topics per search position'],
  ]
  for (const [value, text] of refused) assert.equal(refusal({ topics: value }), text)
})

test('a filter that is no object is refused, and nothing else escapes', () => {
  assert.equal(
    refusal([]),
    'invalid argument 0: json: cannot unmarshal array into Go value of type filters.input',
  )
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      refusal(value)
      for (const name of ['address', 'topics', 'fromBlock', 'blockHash']) refusal({ [name]: value })
    }),
  )
})
