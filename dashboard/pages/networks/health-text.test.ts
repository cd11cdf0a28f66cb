import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { healthText } from './health-text.ts'

test('a quarantine shows the time that is left, in minutes, then in seconds, then the comparison', () => {
  const textAt = (leftMs: number): string => healthText({ state: 'quarantined', leftMs }, false)[1]
  deepEqual([18 * 60_000, 60_001, 60_000, 1, 0].map(textAt), [
    'Quarantined, 18 min left',
    'Quarantined, 2 min left',
    'Quarantined, 60 s left',
    'Quarantined, 1 s left',
    'Quarantined, replies compared with others',
  ])
})

test('an upstream without a report is unknown, and a trusted one is named so', () => {
  deepEqual(healthText(null, false), ['plain', 'Unknown'])
  deepEqual(healthText({ state: 'ok', leftMs: null }, true), ['good', 'Healthy, trusted'])
})
