// Collected client data, WebAuthn Level 3 section 5.8.1: the data that the browser signs along with the authenticator. Read
// here for the challenge, and for frames, which @simplewebauthn/server does not refuse in all cases.
// Tested by src/access/people/passkeys.test.ts
import { AccountsRefusal } from '../accounts/accounts-refusal.ts'

/** The page that requests: its origin as the request named it, `https://cairn.example.org`, and the RP ID, its host name. */
export type PasskeyPage = { readonly origin: string; readonly rpId: string }

/**
 * The signed challenge, base64url; the caller checks that Cairn issued it. Throws AccountsRefusal `bad_passkey` for a page in a
 * frame of another origin.
 */
export function readChallenge(clientData: Uint8Array): string {
  const members = parseObject(clientData)
  if (members === null) throw badPasskey('the client data is expected to be a JSON object')
  if (members['crossOrigin'] === true || members['topOrigin'] !== undefined) {
    throw badPasskey('the passkey was used in a frame of another page')
  }
  const { challenge } = members
  if (typeof challenge !== 'string') throw badPasskey('the client data has no challenge')
  return challenge
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
