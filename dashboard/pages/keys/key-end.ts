// Expiry and overlap options of forms. Pure.

export const keyEnds = [
  { value: 'never', title: 'Never', days: null },
  { value: '30', title: 'In 30 days', days: 30 },
  { value: '90', title: 'In 90 days', days: 90 },
  { value: '365', title: 'In 365 days', days: 365 },
] as const

export type KeyEnd = (typeof keyEnds)[number]['value']

const dayMs = 86_400_000

/** Milliseconds since 1970 UTC; null: never. */
export function endOf(chosen: KeyEnd, now: number): number | null {
  const days = keyEnds.find(({ value }) => value === chosen)?.days ?? null
  return days === null ? null : now + days * dayMs
}

export const overlaps = [
  { value: '86400000', title: '1 more day' },
  { value: '3600000', title: '1 more hour' },
  { value: '604800000', title: '1 more week' },
  { value: '0', title: 'No longer: it stops now' },
] as const

export type Overlap = (typeof overlaps)[number]['value']
