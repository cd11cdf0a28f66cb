import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { earlyOf, kadOf, nextAfter, phaseAfter, placeOf, regionOf } from './provide-times.ts'

const interval = 79_200_000
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const time = fc.integer({ min: 1_700_000_000_000, max: 2_000_000_000_000 })

test('a phase comes once an interval, and keys in order have phases in order', () => {
  fc.assert(
    fc.property(place, time, (at, now) => {
      const next = phaseAfter(at, now, interval)
      assert.ok(next >= now && next - now <= interval, `${next - now}`)
      assert.ok(Math.abs(phaseAfter(at, next + 1, interval) - next - interval) <= 1)
    }),
  )
  const kads = Array.from({ length: 100 }, (_, at) => kadOf(Uint8Array.of(at))).toSorted(
    Buffer.compare,
  )
  const start = interval * 20_000
  const times = kads.map((kad) => phaseAfter(placeOf(kad), start, interval))
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
})

test('no gap is longer than the interval or shorter than half, and two announcements lead to the phase', () => {
  fc.assert(
    fc.property(place, time, (at, first) => {
      const second = nextAfter(at, first, interval)
      const third = nextAfter(at, second, interval)
      const fourth = nextAfter(at, third, interval)
      for (const gap of [second - first, third - second, fourth - third]) {
        assert.ok(gap >= interval / 2 - 1 && gap <= interval + earlyOf(interval), `${gap}`)
      }
      assert.ok(Math.abs(phaseAfter(at, fourth - 2, interval) - fourth) <= 2)
      // Even if it is as early as permitted, it stays at its phase.
      const early = fourth - earlyOf(interval)
      assert.ok(Math.abs(nextAfter(at, Math.ceil(early), interval) - fourth - interval) <= 2)
    }),
  )
})

test('a region is the first bits of a key', () => {
  const kad = Uint8Array.from([0b1010_0000, 0xff, ...new Uint8Array(30)])
  assert.equal(regionOf(kad, 3), 0b101)
  assert.equal(regionOf(kad, 9), 0b1010_0000_1)
})
