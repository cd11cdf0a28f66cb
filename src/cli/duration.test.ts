import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDuration, parseTime } from './duration.ts'

test('seconds, minutes, hours and days, or nothing at all', () => {
  const typed = ['0', '0h', '90s', '30m', '24h', '7d', '366d']
  assert.deepEqual(
    typed.map((text) => parseDuration('--overlap', text)),
    [0, 0, 90_000, 1_800_000, 86_400_000, 604_800_000, 31_622_400_000],
  )
})

test('what has no unit, a sign, a fraction or is too long is refused by the flag it came with', () => {
  for (const text of ['', '24', '-1h', '1.5h', '1w', '367d', '1h30m', '999999999d', ' 1h']) {
    assert.throws(() => parseDuration('--overlap', text), /^UsageError: --overlap is "/, text)
  }
})

test('a date is midnight UTC, a time is UTC, and others are refused by their flag', () => {
  assert.equal(parseTime('--since', '2026-01-31'), Date.UTC(2026, 0, 31))
  assert.equal(parseTime('--since', '2026-01-31T15:04Z'), Date.UTC(2026, 0, 31, 15, 4))
  for (const text of ['', 'now', '2026-13-01', '31.1.2026', '2026-01-31T15:04']) {
    assert.throws(() => parseTime('--until', text), /^UsageError: --until is "/, text)
  }
})
