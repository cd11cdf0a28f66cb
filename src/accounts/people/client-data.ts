// What the browser says it was asked, by whom and for what: collected client data, WebAuthn Level 2 section 5.8.1. It is
// signed with the rest, so a page that is not ours cannot have asked in our name.
// Tested by src/accounts/people/passkeys.test.ts
import { AccountsRefusal } from '../accounts-refusal.ts'

/** The page that asks: its origin as the request said it, `https://cairn.example.org`, and the RP ID, its host name. */
export type PasskeyPage = { readonly origin: string; readonly rpId: string }

type ClientData = { readonly challenge: string }

/**
 * The challenge that was answered, as base64url; whether it is one of ours is for the caller to say. `type`: what was
 * asked for. Throws AccountsRefusal `bad_passkey` for another ceremony, another origin, a page in a frame of another.
 */
export function readClientData(
  json: Uint8Array,
  type: 'webauthn.create' | 'webauthn.get',
  page: PasskeyPage,
): ClientData {
  const told = parseObject(json)
  if (told === null) throw badPasskey('the client data is expected to be a JSON object')
  if (told['type'] !== type) throw badPasskey(`the client data is expected to be of ${type}`)
  if (told['origin'] !== page.origin) {
    throw badPasskey(`the passkey was used on another page than ${page.origin}`)
  }
  if (told['crossOrigin'] === true || told['topOrigin'] !== undefined) {
    throw badPasskey('the passkey was used within a page of somebody else')
  }
  const { challenge } = told
  if (typeof challenge !== 'string') throw badPasskey('the client data has no challenge')
  return { challenge }
}

export function badPasskey(message: string, cause?: unknown): AccountsRefusal {
  return new AccountsRefusal('bad_passkey', message, { cause })
}

function parseObject(json: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
