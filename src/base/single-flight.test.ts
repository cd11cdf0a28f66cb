import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from './fault.ts'
import { createSingleFlight } from './single-flight.ts'

type Work = {
  readonly run: (signal: AbortSignal) => Promise<string>
  readonly signals: AbortSignal[]
  readonly finish: ((result: string) => void)[]
  readonly fail: ((error: Error) => void)[]
}

/** Work that ignores its signal and ends only when the test ends it. */
function stubborn(): Work {
  const work: Work = {
    signals: [],
    finish: [],
    fail: [],
    run(signal) {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      work.signals.push(signal)
      work.finish.push(resolve)
      work.fail.push(reject)
      return promise
    },
  }
  return work
}

const never = new AbortController().signal

test('one caller hangs up, the others still get the answer', async () => {
  const singleFlight = createSingleFlight<string>({ keysMax: 10 })
  const work = stubborn()
  const leaver = new AbortController()
  const left = singleFlight.join('a', leaver.signal, work.run)
  const stays = singleFlight.join('a', never, work.run)
  leaver.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  assert.equal(work.signals[0]?.aborted, false)
  work.finish[0]?.('answer')
  assert.equal(await stays, 'answer')
  assert.equal(work.signals.length, 1)
})

test('a caller after the last abort starts new work, even if the old work has not settled', async () => {
  const singleFlight = createSingleFlight<string>({ keysMax: 10 })
  const work = stubborn()
  const leaver = new AbortController()
  const left = singleFlight.join('a', leaver.signal, work.run)
  leaver.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  assert.equal(work.signals[0]?.aborted, true)

  const fresh = singleFlight.join('a', never, work.run)
  work.finish[0]?.('stale')
  await Promise.resolve()
  const joined = singleFlight.join('a', never, work.run)
  work.finish[1]?.('fresh')
  assert.deepEqual(await Promise.all([fresh, joined]), ['fresh', 'fresh'])
  assert.equal(work.signals.length, 2)
  assert.equal(singleFlight.size, 0)
})

test('a failure reaches every caller and is not remembered', async () => {
  const singleFlight = createSingleFlight<string>({ keysMax: 10 })
  const work = stubborn()
  const both = [singleFlight.join('a', never, work.run), singleFlight.join('a', never, work.run)]
  work.fail[0]?.(new Error('broken'))
  for (const one of both) await assert.rejects(one, /broken/)
  const again = singleFlight.join('a', never, work.run)
  work.finish[1]?.('well')
  assert.equal(await again, 'well')
})

test('a failure after all callers have aborted is not reported', async () => {
  const singleFlight = createSingleFlight<string>({ keysMax: 10 })
  const work = stubborn()
  const leaver = new AbortController()
  const left = singleFlight.join('a', leaver.signal, work.run)
  leaver.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  work.fail[0]?.(new Error('too late'))
})

test('work that throws synchronously is a rejection, and an aborted caller starts no work', async () => {
  const singleFlight = createSingleFlight<string>({ keysMax: 10 })
  const throwing = (): Promise<string> => {
    throw new Error('synchronous')
  }
  await assert.rejects(singleFlight.join('a', never, throwing), /synchronous/)
  const work = stubborn()
  await assert.rejects(
    singleFlight.join('a', AbortSignal.abort(new Error('gone')), work.run),
    /gone/,
  )
  assert.equal(work.signals.length, 0)
  assert.equal(singleFlight.size, 0)
})

test('keys are apart, and more of them than seats are refused', async () => {
  const singleFlight = createSingleFlight<string>({ keysMax: 2 })
  const work = stubborn()
  const both = [singleFlight.join('a', never, work.run), singleFlight.join('b', never, work.run)]
  await assert.rejects(
    singleFlight.join('c', never, work.run),
    (error) => error instanceof Fault && error.code === 'overloaded',
  )
  work.finish[0]?.('a')
  work.finish[1]?.('b')
  assert.deepEqual(await Promise.all(both), ['a', 'b'])
})
