// Named presets of a key's limits, equal to the plans of Infura.
// Tested by test/admin/admin-keys.test.ts
import type { KeySettings } from './key-settings.ts'

export type PlanName = 'none' | 'free' | 'developer' | 'team'

export type PlanLimits = Pick<
  KeySettings,
  'unitsPerDay' | 'unitsPerSecond' | 'filesReadsPerSecond' | 'filesWritesPerSecond'
>

const files = { filesReadsPerSecond: 1500, filesWritesPerSecond: 150 }

/** `none` resets the limits to those of a new key. */
export const plans: Readonly<Record<PlanName, PlanLimits>> = {
  none: {
    unitsPerDay: null,
    unitsPerSecond: null,
    filesReadsPerSecond: null,
    filesWritesPerSecond: null,
  },
  free: { unitsPerDay: 3_000_000, unitsPerSecond: 500, ...files },
  developer: { unitsPerDay: 15_000_000, unitsPerSecond: 4_000, ...files },
  team: { unitsPerDay: 75_000_000, unitsPerSecond: 40_000, ...files },
}
