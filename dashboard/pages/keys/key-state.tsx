// State of a key: active, expiring, expired or revoked; and one line about its access.
import { State } from '../../ui/badge.tsx'
import type { Settings } from './settings-form.tsx'

type KeyDates = {
  readonly expires: number | null
  readonly revoked: number | null
}

const dayMs = 86_400_000

export function isInactive({ expires, revoked }: KeyDates): boolean {
  return revoked !== null || (expires !== null && expires <= Date.now())
}

export function KeyState({ apiKey }: { readonly apiKey: KeyDates }) {
  if (apiKey.revoked !== null) return <State>Revoked</State>
  if (isInactive(apiKey)) return <State>Expired</State>
  if (apiKey.expires === null) return <State tone="good">Active</State>
  const days = Math.ceil((apiKey.expires - Date.now()) / dayMs)
  return days > 90 ? (
    <State tone="good">Active</State>
  ) : (
    <State tone="warn">{`Expires in ${days} d`}</State>
  )
}

/** `mainnet, sepolia · secret required`. */
export function accessOf(settings: Settings): string {
  const { networks, files, allowOrigins, jwtRequired, secretRequired } = settings
  const sites =
    allowOrigins.length > 1 ? `${allowOrigins.length} sites only` : `${allowOrigins[0]} only`
  return [
    networks === null ? 'All networks' : networks.length > 0 ? networks.join(', ') : '',
    networks?.length === 0 ? (files ? 'Files only' : 'No access') : '',
    allowOrigins.length > 0 ? sites : '',
    jwtRequired ? 'signed tokens only' : secretRequired ? 'secret required' : '',
  ]
    .filter((part) => part !== '')
    .join(' · ')
}
