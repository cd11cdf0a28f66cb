// Codes of an authenticator app: TOTP (RFC 6238) with SHA-1, six digits and 30 seconds, which every app supports. The
// codes of the previous and the next step are accepted too, for clocks that differ.
import { Secret, TOTP } from 'otpauth'

const period = 30
const window = 1
const secretBytes = 20

/** 20 random bytes, as RFC 4226 section 4 advises. */
export function createTotpSecret(): Uint8Array {
  return new Uint8Array(new Secret({ size: secretBytes }).bytes)
}

/** Text form of the secret, to type instead of a scan: base32 (RFC 4648). */
export function toBase32(secret: Uint8Array): string {
  return secretOf(secret).base32
}

/** The `otpauth://` address that a QR code shows. `issuer`: this server's name; `label`: the person's email. */
export function totpAddress(order: {
  readonly secret: Uint8Array
  readonly issuer: string
  readonly label: string
}): string {
  const { secret, issuer, label } = order
  return new TOTP({ secret: secretOf(secret), issuer, label, period }).toString()
}

/** The step (30 seconds since 1970) that this code is of; null: of none near `now`, in milliseconds. */
export function findTotpStep(secret: Uint8Array, code: string, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const totp = { secret: secretOf(secret), token: code, period, window, timestamp: now }
  const delta = TOTP.validate(totp)
  return delta === null ? null : Math.floor(now / 1000 / period) + delta
}

function secretOf(bytes: Uint8Array): Secret {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer })
}
