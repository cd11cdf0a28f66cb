import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createLineBuffer } from './line-buffer.ts'

test('lines of one turn are written together, and later ones only after that write', async () => {
  const written: string[] = []
  let end = (): void => {}
  const lines = createLineBuffer({
    write: (text) => {
      written.push(text)
      return new Promise((resolve) => (end = resolve))
    },
    failed: assert.fail,
    charsMax: 100,
  })
  lines.add('a')
  lines.add('b')
  await setImmediate()
  lines.add('c')
  lines.add('d')
  await setImmediate()
  assert.deepEqual(written, ['a\nb\n'])
  end()
  await setImmediate()
  assert.deepEqual(written, ['a\nb\n', 'c\nd\n'])
  end()
  await lines.flush()
  assert.equal(lines.dropped, 0)
})

test('a place that takes nothing costs lines and no memory: what exceeds the limit is dropped and counted', async () => {
  const written: string[] = []
  let end = (): void => {}
  const lines = createLineBuffer({
    write: (text) => {
      written.push(text)
      return new Promise((resolve) => (end = resolve))
    },
    failed: assert.fail,
    charsMax: 50,
  })
  lines.add('first')
  await setImmediate()
  for (let number = 0; number < 1000; number++) lines.add('123456789')
  assert.equal(lines.dropped, 995)
  end()
  await setImmediate()
  assert.equal(written[1], '123456789\n'.repeat(5))
})

test('lines of a failed write are counted, and the next ones are written', async () => {
  const written: string[] = []
  const failures: unknown[] = []
  const lines = createLineBuffer({
    async write(text) {
      if (failures.length === 0) throw new Error('full')
      written.push(text)
    },
    failed: (error, count) => failures.push([(error as Error).message, count]),
    charsMax: 100,
  })
  lines.add('a')
  lines.add('b')
  await lines.flush()
  lines.add('c')
  await lines.flush()
  assert.deepEqual(failures, [['full', 2]])
  assert.deepEqual(written, ['c\n'])
  assert.equal(lines.dropped, 2)
})
