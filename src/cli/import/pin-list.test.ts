import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePinList } from './pin-list.ts'

const v0 = 'QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn'
const v1 = 'bafkreigp57nphuun56ko66odwfcji6x2bpqo5eaoyv6yp7cdu55oxm4ioy'

function parsed(text: string) {
  const { wanted, wrong } = parsePinList(text)
  return {
    wanted: wanted.map(({ cid, mode, name }) => [cid.toString(), mode, name]),
    wrong: wrong.map(({ place, text: shown }) => [place, shown]),
  }
}

test('CIDs one per line, each once, in their order', () => {
  const text = `# mine\n${v1}\r\n\n  /ipfs/${v0}\nipfs://${v1}\n`
  assert.deepEqual(parsed(text), {
    wanted: [
      [v1, 'recursive', ''],
      [v0, 'recursive', ''],
    ],
    wrong: [],
  })
})

test('the text of `ipfs pin ls` keeps types and names, and leaves out what is indirect', () => {
  const other = v1.replace(/y$/, 'a')
  const { wanted } = parsed(`${v0} recursive my own name\n${v1} direct\n${other} indirect\n`)
  assert.deepEqual(wanted, [
    [v0, 'recursive', 'my own name'],
    [v1, 'direct', ''],
  ])
})

test('JSON and NDJSON of pin/ls are taken, and the report of an earlier run', () => {
  const keys = { [v0]: { Type: 'recursive', Name: 'a' }, [v1]: { Type: 'indirect' } }
  assert.deepEqual(parsed(JSON.stringify({ Keys: keys }, null, 2)).wanted, [[v0, 'recursive', 'a']])
  const lines = [
    { Cid: v0, Type: 'recursive', Name: 'b' },
    { Cid: v1, Type: 'direct', Name: '', Error: 'it was not there' },
  ]
  assert.deepEqual(parsed(lines.map((line) => JSON.stringify(line)).join('\n')).wanted, [
    [v0, 'recursive', 'b'],
    [v1, 'direct', ''],
  ])
})

test('an invalid CID is reported with its position and does not stop the others', () => {
  const long = 'x'.repeat(500)
  assert.deepEqual(parsed(`nonsense\n${v0}\n{"Cid":"Qm"}\n{broken\n{"a":1}\n${long}\n`), {
    wanted: [[v0, 'recursive', '']],
    wrong: [
      ['line 1', 'nonsense'],
      ['line 3', 'Qm'],
      ['line 4', '{broken'],
      ['line 5', '{"a":1}'],
      ['line 6', 'x'.repeat(100)],
    ],
  })
})

test('an empty list is empty', () => {
  assert.deepEqual(parsed(''), { wanted: [], wrong: [] })
  assert.deepEqual(parsed('{"Keys":{}}'), { wanted: [], wrong: [] })
})
