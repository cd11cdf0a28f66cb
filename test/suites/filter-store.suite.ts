// The guarantees of every FilterStore.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type FilterStore,
  type FiltersLimits,
  type StoredFilter,
  defaultFiltersLimits,
} from '../../src/rpc/filters/filter-store.ts'

export type OpenedFilters = {
  readonly one: FilterStore
  /** Another node. */
  readonly other: FilterStore
  /** Advances the time. */
  pass(ms: number): void | Promise<void>
}

const filter: StoredFilter = { keyId: 'k', network: 'dev', query: null, place: 'a' }

export function testFilterStore(
  name: string,
  open: (t: TestContext, limits: FiltersLimits) => OpenedFilters | Promise<OpenedFilters>,
  options: { readonly skip?: string | false } = {},
): void {
  const { skip = false } = options

  test(`${name}: a filter is found on every node until it is dropped`, { skip }, async (t) => {
    const { one, other } = await open(t, defaultFiltersLimits)
    const query = JSON.stringify({ address: ['ü'.repeat(50_000)] })
    await one.add('1', { ...filter, query })
    await one.add('2', filter)
    assert.deepEqual(await other.find('1'), { ...filter, query })
    assert.deepEqual(await other.find('2'), filter)
    assert.equal(await one.find('3'), null)
    assert.equal(await one.countOf('k'), 2)
    assert.equal(await one.countOf('other'), 0)
    assert.equal(await other.drop('1'), true)
    assert.equal(await one.drop('1'), false)
    assert.equal(await one.find('1'), null)
    assert.equal(await one.countOf('k'), 1)
  })

  test(`${name}: of moves from one place exactly one succeeds`, { skip }, async (t) => {
    const { one, other } = await open(t, defaultFiltersLimits)
    await one.add('1', filter)
    const moves = await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        (n % 2 === 0 ? one : other).move('1', 'a', `b${n}`),
      ),
    )
    assert.equal(moves.filter((moved) => moved).length, 1)
    assert.equal((await other.find('1'))?.place, `b${moves.indexOf(true)}`)
    assert.equal(await one.move('1', 'a', 'c'), false)
    assert.equal(await one.move('absent', 'a', 'c'), false)
    assert.equal(await one.find('absent'), null)
  })

  test(`${name}: filters of a key are limited, over all nodes`, { skip }, async (t) => {
    const { one, other } = await open(t, { ...defaultFiltersLimits, perKeyMax: 3 })
    const adds = await Promise.allSettled(
      Array.from({ length: 6 }, async (_, n) => (n % 2 === 0 ? one : other).add(`${n}`, filter)),
    )
    assert.equal(adds.filter(({ status }) => status === 'fulfilled').length, 3)
    await assert.rejects(async () => one.add('more', filter), {
      code: 'over_filters',
      message: 'too many filters, limit is 3',
    })
    assert.equal(await one.find('more'), null)
    await one.add('of another', { ...filter, keyId: 'other' })
    const added = adds.findIndex(({ status }) => status === 'fulfilled')
    await other.drop(`${added}`)
    await one.add('again', filter)
  })

  test(`${name}: an unused filter expires and frees its place`, { skip }, async (t) => {
    const { one, other, pass } = await open(t, {
      ...defaultFiltersLimits,
      perKeyMax: 2,
      idleMs: 600,
    })
    await one.add('used', filter)
    await one.add('idle', filter)
    await pass(400)
    assert.ok((await other.find('used')) !== null)
    await pass(400)
    assert.ok((await other.find('used')) !== null)
    assert.equal(await one.find('idle'), null)
    await one.add('new', filter)
    assert.equal(await one.countOf('k'), 2)
  })
}
