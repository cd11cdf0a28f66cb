import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { batchedLines, BufferedLines, keyedObject } from './kubo-reply.ts'

const textOf = (piece: Uint8Array | undefined): string => Buffer.from(piece ?? []).toString()

test('lines that are there together are one piece, up to a bound', async () => {
  async function* values() {
    for (let n = 0; n < 10_000; n += 1) yield { n }
  }
  const pieces = (await Array.fromAsync(batchedLines(values()))).map(textOf)
  const all = Array.from({ length: 10_000 }, (_, n) => `{"n":${n}}\n`).join('')
  assert.equal(pieces.join(''), all)
  assert.ok(pieces.length <= Math.ceil(all.length / 32_768) + 1, `${pieces.length} pieces`)
  assert.ok(pieces.every(({ length }) => length < 32_768 + 100))
})

test('a line does not wait for the next one', async () => {
  const second = Promise.withResolvers<number>()
  async function* values() {
    yield 1
    yield await second.promise
  }
  const pieces = batchedLines(values())
  assert.equal(textOf((await pieces.next()).value as Uint8Array), '1\n')
  second.resolve(2)
  assert.equal(textOf((await pieces.next()).value as Uint8Array), '2\n')
  assert.deepEqual(await pieces.next(), { done: true, value: undefined })
})

test('lines before an error go out, and then it is thrown', async () => {
  async function* values() {
    yield 1
    yield 2
    throw new Error('lost')
  }
  const pieces = batchedLines(values())
  assert.equal(textOf((await pieces.next()).value as Uint8Array), '1\n2\n')
  await assert.rejects(pieces.next(), /lost/)
})

test('who gives up does not wait for a value that never comes, and the values end', async () => {
  const { promise: never, reject } = Promise.withResolvers<number>()
  let ended = false
  async function* values() {
    try {
      yield 1
      yield await never
    } finally {
      ended = true
    }
  }
  const pieces = batchedLines(values())
  await pieces.next()
  await pieces.return(undefined)
  assert.equal(ended, false)
  reject(new Error('hung up'))
  await setImmediate()
  assert.equal(ended, true)
})

test('lines come back in order, from memory and from the file', async () => {
  for (const bytesMax of [1_000_000, 100, 0]) {
    await using buffered = new BufferedLines(bytesMax)
    const lines = Array.from({ length: 3000 }, (_, index) => `{"n":${index},"name":"ü"}\n`)
    for (const line of lines) await buffered.add(line)
    const read = Buffer.concat(await Array.fromAsync(buffered.read())).toString()
    assert.equal(read, lines.join(''))
  }
})

test('nothing held is nothing', async () => {
  await using buffered = new BufferedLines()
  assert.deepEqual(await Array.fromAsync(buffered.read()), [])
})

test('the pieces are the object in the order of its entries, however many there are', async () => {
  const entries = Array.from(
    { length: 5000 },
    (_, n) => [`key <${n}>`, { Name: `a&b ${n}`, n }] as const,
  )
  const pieces = await keyedObject('Keys', entries)
  assert.ok(pieces.length > 3)
  const text = Buffer.concat(pieces).toString()
  assert.deepEqual(JSON.parse(text), { Keys: Object.fromEntries(entries) })
  assert.ok(text.startsWith('{"Keys":{"key \\u003c0\\u003e":{"Name":"a\\u0026b 0","n":0},'))
  assert.ok(text.endsWith('}}}\n'))
})

test('no entries are an empty object', async () => {
  assert.equal(Buffer.concat(await keyedObject('Keys', [])).toString(), '{}\n')
})
