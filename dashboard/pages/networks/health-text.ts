// The health of an upstream in words, with the remaining time of a quarantine. Pure.
// Tested by dashboard/pages/networks/health-text.test.ts
import type { Tone } from '../../ui/badge.tsx'

const states: Readonly<Record<string, readonly [tone: Tone, title: string]>> = {
  ok: ['good', 'Healthy'],
  open: ['warn', 'Paused after failures'],
  quarantined: ['bad', 'Quarantined'],
  cordoned: ['warn', 'Refuses the account'],
  'wrong-chain': ['bad', 'Wrong network'],
}

/** `health` null: no server reports it. `leftMs`: as in the reply of `GET /upstreams`. */
export function healthText(
  health: { readonly state: string; readonly leftMs: number | null } | null,
  isTrusted: boolean,
): readonly [tone: Tone, text: string] {
  const [tone, title] = states[health?.state ?? ''] ?? (['plain', 'Unknown'] as const)
  return [tone, `${title}${restOf(health?.leftMs ?? null)}${isTrusted ? ', trusted' : ''}`]
}

function restOf(leftMs: number | null): string {
  if (leftMs === null) return ''
  if (leftMs === 0) return ', replies compared with others'
  const minutes = Math.ceil(leftMs / 60_000)
  return minutes > 1 ? `, ${minutes} min left` : `, ${Math.ceil(leftMs / 1_000)} s left`
}
