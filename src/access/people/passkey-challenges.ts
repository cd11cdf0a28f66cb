// Challenges that an authenticator signs: 32 random bytes, accepted once, within five minutes. Open challenges are not stored, so a
// flood of requests cannot evict others: a seal (HMAC) returns with the response and proves that Cairn issued it. The HMAC key
// exists only in this process.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { AccountsRefusal } from '../accounts/account-rules.ts'

export type Challenges = {
  /** `use`: purpose and person; a response must match both. Both texts are base64url. */
  create(use: string): { readonly challenge: string; readonly seal: string }
  /** Consumes it. Throws AccountsRefusal `challenge_over`: expired, used, for another use; `overloaded`. */
  use(challenge: string, seal: string, use: string): void
}

/** Lifetime of a challenge, also the timeout of the authenticator's prompt. */
export const challengeMs = 300_000
const challengeBytes = 32
const usedMax = 20_000

/** `usedMax`: maximum number of responses within five minutes; more are refused. */
export function createChallenges(parts: {
  readonly clock: Clock
  readonly usedMax?: number
}): Challenges {
  const { clock } = parts
  const most = parts.usedMax ?? usedMax
  const key = randomBytes(32)
  // Expiry of each used challenge, in the order of responses, so an expired one may be deleted late.
  const used = new Map<string, number>()

  function macOf(challenge: string, expires: number, use: string): Buffer {
    return createHmac('sha256', key)
      .update(JSON.stringify([challenge, expires, use]))
      .digest()
  }

  function deleteExpired(now: number): void {
    for (const [challenge, expires] of used) {
      if (expires > now) return
      used.delete(challenge)
    }
  }

  return {
    create(use) {
      const challenge = randomBytes(challengeBytes).toString('base64url')
      const expires = Math.ceil(clock.monotonic()) + challengeMs
      return {
        challenge,
        seal: `${expires}.${macOf(challenge, expires, use).toString('base64url')}`,
      }
    },

    use(challenge, seal, use) {
      const [time = '', mac = ''] = seal.split('.')
      const expires = Number(time)
      const received = Buffer.from(mac, 'base64url')
      const expected = macOf(challenge, expires, use)
      const now = clock.monotonic()
      if (
        received.length !== expected.length ||
        !timingSafeEqual(received, expected) ||
        expires <= now
      ) {
        throw challengeError('this took too long, or the server was restarted: try again')
      }
      if (used.has(challenge)) throw challengeError('this was answered already: try again')
      deleteExpired(now)
      if (used.size >= most) throw new Fault('overloaded')
      used.set(challenge, expires)
    },
  }
}

function challengeError(message: string): AccountsRefusal {
  return new AccountsRefusal('challenge_over', message)
}
