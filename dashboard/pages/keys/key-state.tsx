// Whether a key still opens anything.
import { Badge } from '../../ui/badge.tsx'

type Ends = {
  readonly expires: number | null
  readonly revoked: number | null
}

export function isOver({ expires, revoked }: Ends): boolean {
  return revoked !== null || (expires !== null && expires <= Date.now())
}

export function KeyState({ apiKey }: { readonly apiKey: Ends }) {
  if (apiKey.revoked !== null) return <Badge tone="bad">Revoked</Badge>
  if (isOver(apiKey)) return <Badge tone="bad">Expired</Badge>
  if (apiKey.expires !== null) return <Badge tone="warn">Ending</Badge>
  return <Badge tone="good">Works</Badge>
}
