import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatMs,
  formatNumber,
  formatShort,
  formatSince,
  formatTime,
} from './format.ts'

test('numbers are grouped by thousands, and compact from 10,000', () => {
  equal(formatNumber(1_234_567), '1,234,567')
  equal(formatShort(9_999), '9,999')
  equal(formatShort(12_345), '12.3K')
})

test('bytes are shown in binary units, with one digit below 100', () => {
  equal(formatBytes(0), '0 B')
  equal(formatBytes(1_023), '1023 B')
  equal(formatBytes(1_536), '1.5 KiB')
  equal(formatBytes(200 * 1024 ** 2), '200 MiB')
})

test('times are UTC, and ages are shown in the largest fitting unit', () => {
  const noon = Date.UTC(2026, 2, 1, 12)
  equal(formatTime(noon), '2026-03-01 12:00 UTC')
  equal(formatSince(noon, noon + 20_000), 'just now')
  equal(formatSince(noon, noon + 3 * 3_600_000), '3 hours ago')
  equal(formatSince(noon + 2 * 86_400_000, noon), 'in 2 days')
  equal(formatMs(1.234), '1.2 ms')
  equal(formatMs(44.4), '44 ms')
  equal(formatMs(2_010), '2.01 s')
})

test('a count of one is shown in the singular', () => {
  equal(formatCount(0, 'block'), '0 blocks')
  equal(formatCount(1, 'block'), '1 block')
  equal(formatCount(12_345, 'block'), '12,345 blocks')
})

test('a past time is short, and a date after a day', () => {
  const now = Date.UTC(2026, 10, 24, 12)
  const minute = 60_000
  deepEqual(
    [0, 4 * minute, 130 * minute, 3 * 1_440 * minute, 400 * 1_440 * minute].map((ago) =>
      formatAgo(now - ago, now),
    ),
    ['now', '4 min ago', '2 h ago', '21 Nov', '20 Oct 2025'],
  )
})
