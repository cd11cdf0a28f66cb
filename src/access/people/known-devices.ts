// A browser in which a person has signed in before has a cookie signed by this server. Failed sign-ins from elsewhere do not lock
// such a browser out (OWASP, device cookies); its own failures are counted per cookie.
// Tested by src/access/people/known-devices.test.ts
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'

export type KnownDevices = {
  /** The cookie's value after a sign-in of this person; times are milliseconds since 1970 UTC. */
  issue(personId: string): { readonly token: string; readonly expires: number }
  /** ID of the device if this cookie was issued to this person and has not expired; else null. */
  idOf(token: string | null, personId: string | null): string | null
}

const lifeMs = 180 * 86_400_000
const idBytes = 16

/** `secret`: always returns the same bytes for a data folder; called at the first use. */
export function createKnownDevices(parts: {
  readonly clock: Clock
  readonly secret: () => Uint8Array
}): KnownDevices {
  const { clock, secret } = parts
  let key: Uint8Array | null = null

  function macOf(id: string, expires: number, personId: string): Buffer {
    key ??= new Uint8Array(hkdfSync('sha256', secret(), '', 'cairn known device', 32))
    return createHmac('sha256', key)
      .update(JSON.stringify([id, expires, personId]))
      .digest()
  }

  return {
    issue(personId) {
      const id = randomBytes(idBytes).toString('base64url')
      const expires = clock.now() + lifeMs
      const mac = macOf(id, expires, personId).toString('base64url')
      return { token: `${id}.${expires}.${mac}`, expires }
    },

    idOf(token, personId) {
      if (token === null || personId === null) return null
      const [id = '', time = '', mac = ''] = token.split('.')
      const expires = Number(time)
      const received = Buffer.from(mac, 'base64url')
      const right = macOf(id, expires, personId)
      const isOurs = received.length === right.length && timingSafeEqual(received, right)
      return isOurs && clock.now() < expires ? id : null
    },
  }
}
