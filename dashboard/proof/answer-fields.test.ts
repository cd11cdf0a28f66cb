import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerFieldsOf } from './answer-fields.ts'

const hash = `0x${'ab'.repeat(32)}`
const word = (number: number | bigint) => number.toString(16).padStart(64, '0')
const rows = (value: unknown) =>
  answerFieldsOf(value)?.fields.map(({ name, depth, text }) => [depth, name, text])

test('members of a receipt are read by their names', () => {
  const receipt = {
    transactionHash: hash,
    blockNumber: '0x1f4',
    status: '0x1',
    effectiveGasPrice: '0x3b9aca00',
    contractAddress: null,
    logsBloom: `0x${'00'.repeat(256)}`,
    logs: [{ topics: [hash], data: '0x12', logIndex: '0x0', removed: false }],
  }
  assert.deepEqual(rows(receipt), [
    [0, 'Transaction hash', hash],
    [0, 'Block number', '500'],
    [0, 'Status', '1, success'],
    [0, 'Effective gas price', '1,000,000,000 wei'],
    [0, 'Contract address', 'none'],
    [0, 'Logs bloom', `256 bytes, 0x${'00'.repeat(20)}…`],
    [0, 'Logs', '1 item'],
    [1, '1', '4 fields'],
    [2, 'Topics', '1 item'],
    [3, '1', hash],
    [2, 'Data', '0x12'],
    [2, 'Log index', '0'],
    [2, 'Removed', 'no'],
  ])
})

test('timestamps are times, and amounts of a transaction are in wei', () => {
  assert.deepEqual(rows({ timestamp: '0x65e1d4b0', from: hash, value: '0x2', input: '0x' }), [
    [0, 'Timestamp', '2024-03-01 13:14 UTC'],
    [0, 'From', hash],
    [0, 'Value', '2 wei'],
    [0, 'Input', 'empty'],
  ])
  // The value of a slot is no amount.
  assert.deepEqual(rows({ key: '0x1', value: '0x2' })?.[1], [0, 'Value', '2'])
})

test('results of calls are read as one text, or word by word', () => {
  const name = Buffer.from('Wrapped Ether')
  const text = `0x${word(32)}${word(name.length)}${name.toString('hex').padEnd(64, '0')}`
  assert.deepEqual(rows(text), [[0, 'Text', 'Wrapped Ether']])
  const address = '8bebc8ba651aee624937e7d897853ac30c95a067'
  assert.deepEqual(rows(`0x${word(1_000)}${address.padStart(64, '0')}${'f'.repeat(64)}`), [
    [0, 'Word 0', '1,000'],
    [0, 'Word 1', `0x${address}`],
    [0, 'Word 2', `0x${'f'.repeat(64)}`],
  ])
  for (const other of [hash, '0x', `0x${'60'.repeat(33)}`, 'a text', 5, null, true]) {
    assert.equal(answerFieldsOf(other), null)
  }
})

test('an answer of any size and depth gives at most 200 rows, and the number of the others', () => {
  const one = { address: hash, topics: [hash, hash], data: '0x' }
  const logs = answerFieldsOf(Array.from({ length: 5_000 }, () => one))
  assert.equal(logs?.fields.length, 200)
  assert.ok((logs?.left ?? 0) >= 4_950)
  const list = answerFieldsOf(Array.from({ length: 60 }, () => '0x1'))
  assert.deepEqual([list?.fields.length, list?.left], [50, 10])
  let deep: unknown = 'x'.repeat(10_000)
  for (let at = 0; at < 100; at += 1) deep = { deep }
  const found = answerFieldsOf(deep)
  assert.equal(found?.fields.length, 4)
  assert.ok((found.fields.at(-1)?.text.length ?? 0) <= 201)
  const words = answerFieldsOf(`0x${word(7).repeat(400)}`)
  assert.deepEqual([words?.fields.length, words?.left], [50, 350])
})
