// Passkeys in the browser (WebAuthn): creates one and signs with one, with the options of the API. Bytes are sent as base64url.
// Tested by test/browser/passkeys.test.ts
import type { AdminInput, AdminReply } from '../../src/admin/client.ts'

/** Why passkeys are unavailable on this page; `link`: a URL where they are available. */
type NoPasskeys = { readonly why: string; readonly link: string | null }

/** Null: passkeys are available. They require a host name and a secure context (https or localhost). */
export function whyNoPasskeys(): NoPasskeys | null {
  const { hostname, port, protocol } = location
  if (isAddress(hostname)) {
    const isHere = hostname.startsWith('127.') || hostname === '[::1]'
    const link = isHere ? `${protocol}//localhost${port === '' ? '' : `:${port}`}` : null
    const byName = isHere ? '' : ': add a host name to the setting admin.hosts'
    return { why: `Passkeys need a host name; ${hostname} is an address${byName}.`, link }
  }
  if (!isSecureContext) return { why: 'Passkeys need https.', link: null }
  if (typeof PublicKeyCredential === 'undefined') {
    return { why: 'This browser does not support passkeys.', link: null }
  }
  return null
}

/** The input of `POST /me/passkeys`, except the name. Rejects with an Error whose message can be shown. */
export async function makePasskey({
  seal,
  options,
}: AdminReply<'POST /me/passkeys/begin'>): Promise<Omit<AdminInput<'POST /me/passkeys'>, 'name'>> {
  const publicKey: PublicKeyCredentialCreationOptions = {
    ...options,
    challenge: fromBase64url(options.challenge),
    user: { ...options.user, id: fromBase64url(options.user.id) },
    excludeCredentials: options.excludeCredentials.map(({ id, type, transports }) => ({
      id: fromBase64url(id),
      type,
      transports: transports as AuthenticatorTransport[],
    })),
  }
  const made = await withReadableErrors(() => navigator.credentials.create({ publicKey }))
  const response = made.response as AuthenticatorAttestationResponse
  return {
    seal,
    clientDataJSON: toBase64url(response.clientDataJSON),
    attestationObject: toBase64url(response.attestationObject),
    transports: response.getTransports(),
  }
}

/** The input of `POST /session/passkey`. Rejects with an Error whose message can be shown. */
export async function signWithPasskey({
  seal,
  options,
}: AdminReply<'POST /session/passkey/begin'>): Promise<AdminInput<'POST /session/passkey'>> {
  const publicKey = { ...options, challenge: fromBase64url(options.challenge) }
  const signed = await withReadableErrors(() => navigator.credentials.get({ publicKey }))
  const response = signed.response as AuthenticatorAssertionResponse
  return {
    seal,
    id: toBase64url(signed.rawId),
    clientDataJSON: toBase64url(response.clientDataJSON),
    authenticatorData: toBase64url(response.authenticatorData),
    signature: toBase64url(response.signature),
    userHandle: toBase64url(response.userHandle ?? new ArrayBuffer(0)),
  }
}

async function withReadableErrors(
  requestCredential: () => Promise<Credential | null>,
): Promise<PublicKeyCredential> {
  try {
    const found = await requestCredential()
    if (found !== null) return found as PublicKeyCredential
  } catch (cause) {
    const text = textOf(cause instanceof Error ? cause.name : '')
    if (text === null) throw cause
    throw new Error(text, { cause })
  }
  throw new Error('The browser returned no passkey.')
}

function textOf(name: string): string | null {
  switch (name) {
    case 'NotAllowedError':
    case 'AbortError':
      return 'No passkey was chosen, or the request timed out.'
    case 'InvalidStateError':
      return 'This authenticator already has a passkey for your profile.'
    case 'NotSupportedError':
    case 'ConstraintError':
      return "This authenticator can't store a passkey: it needs a PIN, fingerprint or face, and free space."
    default:
      return null
  }
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname)
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
}

function toBase64url(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
