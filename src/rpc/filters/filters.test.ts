import assert from 'node:assert/strict'
import test from 'node:test'
import {
  createFakePool,
  createFakeHead,
  createFakeNetwork,
  createFakeObtain,
} from '../../../test/fakes/upstream/network.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { createReadyTransactions } from '../../chain/transaction-pool.ts'
import { createFilters, type NewFilter } from './filters.ts'
import type { RpcCall } from '../operation.ts'
import { resolvedRead } from '../../chain/read.ts'

const block = { network: 'dev', hash: new Uint8Array(32), number: 0n }

function callOf(keyId: string, part: Partial<RpcCall> = {}): RpcCall {
  return {
    caller: { keyId } as RpcCall['caller'],
    network: createFakeNetwork({ head: createFakeHead([block]), obtain: createFakeObtain([]) }),
    resolve: () => resolvedRead(block),
    labels: { level: () => {}, block: () => {} },
    signal: new AbortController().signal,
    ...part,
  }
}

const quiet: NewFilter = { kind: 'pending' }
const none = { code: 'no_filter', message: 'filter not found' }

test('a filter is there for the key and the network that made it, and for no other', async () => {
  const filters = createFilters(createManualClock())
  const mine = callOf('one')
  const id = await filters.add(mine, quiet)
  assert.match(id, /^0x[0-9a-f]{32}$/)
  assert.deepEqual((await filters.poll(mine, id)).value, [])
  const other = callOf('two')
  await assert.rejects(filters.poll(other, id), none)
  assert.equal(await filters.drop(other, id), false)
  const elsewhere = callOf('one', { network: { ...mine.network, name: 'elsewhere' } })
  await assert.rejects(filters.poll(elsewhere, id), none)
  await assert.rejects(filters.queryOf(mine, id), none)
  assert.equal(await filters.drop(mine, id), true)
  assert.equal(await filters.drop(mine, id), false)
  await assert.rejects(filters.poll(mine, id), none)
})

test('an unused filter expires and frees its place', async () => {
  const clock = createManualClock()
  const filters = createFilters(clock, {
    limits: { perKeyMax: 2, totalMax: 3, idleMs: 300_000 },
  })
  const [one, two] = [callOf('one'), callOf('two')]
  const filterId = await filters.add(one, quiet)
  const idle = await filters.add(one, quiet)
  await assert.rejects(filters.add(one, quiet), {
    code: 'over_filters',
    message: 'too many filters, limit is 2',
  })
  await filters.add(two, quiet)
  await assert.rejects(filters.add(two, quiet), { code: 'overloaded' })
  clock.advance(299_999)
  await filters.poll(one, filterId)
  clock.advance(1)
  await assert.rejects(filters.poll(one, idle), none)
  await filters.add(one, quiet)
  await filters.poll(one, filterId)
})

test('two polls at once share out what is new, and one given up before it began takes nothing', async () => {
  const call = callOf('one')
  let free = () => {}
  const slow = new Promise<void>((resolve) => (free = resolve))
  const filters = createFilters(createManualClock(), {
    async arrivals(_network, from) {
      const { hash, number } = from ?? { hash: new Uint8Array(16), number: 0n }
      if (from === null) return { hashes: [], to: { hash, number } }
      await slow
      const next = number + 1n
      return { hashes: [Uint8Array.of(Number(next))], to: { hash, number: next } }
    },
  })
  const id = await filters.add(call, quiet)
  const givenUp = callOf('one', { signal: AbortSignal.abort(new Error('gone')) })
  const polls = [filters.poll(call, id), filters.poll(givenUp, id), filters.poll(call, id)]
  free()
  const [first, second, third] = await Promise.allSettled(polls)
  assert.deepEqual(first?.status === 'fulfilled' && first.value.value, ['0x01'])
  assert.equal(second?.status, 'rejected')
  assert.deepEqual(third?.status === 'fulfilled' && third.value.value, ['0x02'])
})

test('a filter that fell behind what is remembered is forgotten, never skipped over', async () => {
  const filters = createFilters(createManualClock())
  const arrivals = createReadyTransactions(2)
  const network = createFakeNetwork({
    head: createFakeHead([block]),
    obtain: createFakeObtain([]),
    pool: createFakePool({ arrivals }),
  })
  const call = callOf('one', { network })
  const id = await filters.add(call, quiet)
  const add = (fill: number) => arrivals.add(new Uint8Array(32).fill(fill))
  add(1)
  assert.deepEqual((await filters.poll(call, id)).value, [`0x${'01'.repeat(32)}`])
  for (const fill of [2, 3, 4]) add(fill)
  await assert.rejects(filters.poll(call, id), none)
  assert.equal(await filters.drop(call, id), false)
})
