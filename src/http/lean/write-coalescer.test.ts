import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { type WriteCoalescer, createWriteCoalescer } from './lean-connection.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Offers this many replies in this turn; `sent`: those that were written, in order. */
function offer(
  coalescer: WriteCoalescer,
  names: readonly string[],
  sent: string[],
): readonly boolean[] {
  return names.map((name) => {
    const delayed = coalescer.holds({ send: () => sent.push(`${name} late`) })
    if (!delayed) sent.push(name)
    return delayed
  })
}

test('answers of one turn go out at its end, in the order they were given', async () => {
  const coalescer = createWriteCoalescer()
  for (const round of ['first', 'second']) {
    const sent: string[] = []
    const names = ['a', 'b', 'c', 'd'].map((name) => `${round} ${name}`)
    deepEqual(offer(coalescer, names, sent), [true, true, true, true])
    deepEqual(sent, [])
    await turn()
    deepEqual(
      sent,
      ['a late', 'b late', 'c late', 'd late'].map((name) => `${round} ${name}`),
    )
  }
})

test('no more than 64 are held, so that an answer waits for a bounded number of others', async () => {
  const coalescer = createWriteCoalescer()
  const sent: string[] = []
  const names = Array.from({ length: 100 }, (_, at) => String(at))
  offer(coalescer, names, sent)
  deepEqual(
    sent,
    names.slice(0, 64).map((name) => `${name} late`),
  )
  await turn()
  equal(sent.length, 100)
})

test('where few answers come in a turn, all but one in 33 go out at once', async () => {
  const coalescer = createWriteCoalescer()
  const sent: string[] = []
  let delayed = 0
  for (let calls = 0; calls < 330; calls++) {
    delayed += offer(coalescer, ['a'], sent).filter(Boolean).length
    await turn()
    equal(sent.length, calls + 1, 'and none is left behind')
  }
  equal(delayed, 10)
})

test('a crowd is noticed again after a while without', async () => {
  const coalescer = createWriteCoalescer()
  const sent: string[] = []
  offer(coalescer, ['alone'], sent)
  await turn()
  const crowd = Array.from({ length: 40 }, () => 'a')
  ok(!offer(coalescer, crowd.slice(0, 32), sent).includes(true))
  ok(!offer(coalescer, crowd, sent).includes(false))
  await turn()
  ok(!offer(coalescer, crowd, sent).includes(false))
  await turn()
})
