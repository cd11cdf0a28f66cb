// State of a key: active, expiring, expired or revoked.
import { Badge } from '../../ui/badge.tsx'

type KeyDates = {
  readonly expires: number | null
  readonly revoked: number | null
}

export function isInactive({ expires, revoked }: KeyDates): boolean {
  return revoked !== null || (expires !== null && expires <= Date.now())
}

export function KeyState({ apiKey }: { readonly apiKey: KeyDates }) {
  if (apiKey.revoked !== null) return <Badge tone="bad">Revoked</Badge>
  if (isInactive(apiKey)) return <Badge tone="bad">Expired</Badge>
  if (apiKey.expires !== null) return <Badge tone="warn">Expiring</Badge>
  return <Badge tone="good">Active</Badge>
}
