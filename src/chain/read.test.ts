import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { beginRead, completeRead, fetched, type Read, SuspendedRead } from './read.ts'

const { signal } = new AbortController()

/** The sum of `terms`; terms in `memory` need no fetch. */
function* sum(
  terms: readonly number[],
  memory: ReadonlySet<number>,
  requested: number[],
): Read<number> {
  let total = 0
  for (const term of terms) {
    total += memory.has(term)
      ? term
      : yield* fetched(() => {
          requested.push(term)
          return Promise.resolve(term)
        })
  }
  return total
}

test('a read whose content is in memory ends without a promise', () => {
  equal(beginRead(sum([1, 2, 3], new Set([1, 2, 3]), [])), 6)
})

test('a read that lacks something continues from there, and fetches it once', async () => {
  const requested: number[] = []
  const begun = beginRead(sum([1, 2, 3, 4], new Set([1, 3]), requested))
  ok(begun instanceof SuspendedRead)
  deepEqual(requested, [])
  equal(await completeRead(begun, signal), 10)
  deepEqual(requested, [2, 4])
})

test('a read can also run from its beginning, with the signal of its caller', async () => {
  function* signalOf(): Read<AbortSignal> {
    return yield* fetched((its) => Promise.resolve(its))
  }
  equal(await completeRead(sum([1, 2], new Set(), []), signal), 3)
  equal(await completeRead(signalOf(), signal), signal)
})

test('a fetch that fails throws inside the read, which may continue', async () => {
  const failing = () => Promise.reject(new Error('not found'))
  function* patient(): Read<string> {
    try {
      return yield* fetched<string>(failing)
    } catch {
      return yield* fetched(() => Promise.resolve('from elsewhere'))
    }
  }
  equal(await completeRead(patient(), signal), 'from elsewhere')
  await rejects(completeRead(fetched(failing), signal), /not found/)
})

test('an exception of a read reaches the caller of either driver', async () => {
  // oxlint-disable-next-line require-yield -- it throws before it lacks anything
  function* broken(): Read<never> {
    throw new Error('malformed')
  }
  function* brokenLater(): Read<never> {
    yield* fetched(() => Promise.resolve())
    throw new Error('malformed later')
  }
  throws(() => beginRead(broken()), /malformed/)
  await rejects(completeRead(brokenLater(), signal), /malformed later/)
})
