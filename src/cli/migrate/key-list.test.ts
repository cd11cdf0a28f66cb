import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKeyList } from './key-list.ts'

const one = '0123456789abcdef0123456789abcdef'
const two = 'fedcba9876543210fedcba9876543210'
const secret = 'aaaabbbbccccddddeeeeffff00001111'

function parsed(text: string) {
  const { keys, refused } = parseKeyList(text)
  return {
    keys: keys.map(({ line, name, key, secret: its }) => [line, name, key, its]),
    refused: refused.map(({ line, reason }) => [line, reason]),
  }
}

test('a pasted list has one key a line, with its secret or without', () => {
  assert.deepEqual(parsed(`# mine\n${one}\r\n\n${two}, ${secret}\n`), {
    keys: [
      [2, '', one, null],
      [4, '', two, secret],
    ],
    refused: [],
  })
})

test('three columns are name, key and secret, quoted or separated by other signs', () => {
  const text = `"my app, live",${one},${secret}\nother;${two};${secret}\n`
  assert.deepEqual(parsed(text).keys, [
    [1, 'my app, live', one, secret],
    [2, 'other', two, secret],
  ])
})

test('a header row names the columns in any order and spelling, after a byte order mark', () => {
  const text = `\uFEFFAPI Key Secret,Created,PROJECT NAME,api_key\n${secret},2020,app,${one}\n,2021,,${two}\n`
  assert.deepEqual(parsed(text), {
    keys: [
      [2, 'app', one, secret],
      [3, '', two, null],
    ],
    refused: [],
  })
})

test('each refused line names its number and the reason, never the key', () => {
  const { keys, refused } = parsed(
    [
      one,
      'short',
      `a,b,c,d`,
      one,
      `"broken,${two}`,
      `${'n'.repeat(65)},${two},${secret}`,
      two,
    ].join('\n'),
  )
  assert.deepEqual(
    keys.map(([line]) => line),
    [1, 7],
  )
  assert.deepEqual(
    refused.map(([line]) => line),
    [2, 3, 4, 5, 6],
  )
  const reasons = refused.map(([, reason]) => String(reason))
  assert.match(reasons[0] ?? '', /a key has 8 to 128/)
  assert.match(reasons[1] ?? '', /has 4 columns, expected key/)
  assert.equal(reasons[2], 'repeats the key of line 1')
  assert.match(reasons[3] ?? '', /check its quotes/)
  assert.match(reasons[4] ?? '', /at most 64 characters/)
  assert.ok(!reasons.join('').includes(two))
})

test('an empty list is empty, and an endless one is refused', () => {
  assert.deepEqual(parsed(''), { keys: [], refused: [] })
  assert.deepEqual(parsed('name,key,secret\n'), { keys: [], refused: [] })
  assert.throws(() => parseKeyList('\n'.repeat(10_001)), /more than 10000 lines/)
})
