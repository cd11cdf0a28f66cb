// Authentication by JWT. Each token is verified once and cached until it expires, so later requests cost one hash and one lookup.
import { hash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { setNewest } from '../../base/lru-cache.ts'
import type { Caller } from './caller.ts'
import { jwtCharsMax, badToken, verifyJwt, type JwtKeys } from './jwt.ts'

/** A key that accepts JWTs: its caller without a JWT, and its public keys. */
export type JwtHolder = { readonly withoutSecret: Caller; readonly jwtKeys: JwtKeys }

export type JwtCallers = {
  /** Throws `bad_token`. */
  callerOf(holder: JwtHolder, jwt: string): Caller | Promise<Caller>
}

type VerifiedToken = {
  readonly holder: JwtHolder
  readonly caller: Caller
  readonly expires: number
}

const tokensMax = 10_000
/** Default audience of Infura's tokens. */
const usualAudience = 'infura.io'

/** `serverHosts`: names of this server, as audiences. Beyond `tokensMax` the token that was verified first is evicted. */
export function createJwtCallers(parts: {
  readonly clock: Clock
  readonly serverHosts: () => readonly string[]
  /** As in `verifyJwt`. A cached token remains valid until it expires. */
  readonly lifeMsMax?: () => number
  readonly tokensMax?: number
}): JwtCallers {
  const { clock, serverHosts, lifeMsMax = () => Infinity } = parts
  const most = parts.tokensMax ?? tokensMax
  const verifiedTokens = new Map<string, VerifiedToken>()

  async function verify(holder: JwtHolder, jwt: string, name: string): Promise<Caller> {
    const { withoutSecret, jwtKeys } = holder
    const { jwtAudiences } = withoutSecret.settings
    const audiences = jwtAudiences.length > 0 ? jwtAudiences : [usualAudience, ...serverHosts()]
    const { expires, lists } = await verifyJwt(jwt, jwtKeys, {
      now: clock.now(),
      audiences,
      lifeMsMax: lifeMsMax(),
    })
    const caller: Caller = {
      ...withoutSecret,
      jwt: { bringsLists: lists !== null },
      allowlists: lists ?? withoutSecret.allowlists,
    }
    setNewest(verifiedTokens, name, { holder, caller, expires }, most)
    return caller
  }

  return {
    callerOf(holder, jwt) {
      if (jwt.length > jwtCharsMax) throw badToken('malformed')
      const name = `${holder.withoutSecret.keyId} ${hash('sha256', jwt, 'base64')}`
      const verified = verifiedTokens.get(name)
      if (verified !== undefined) {
        // Changed settings or public keys create a new holder, so the token is verified again.
        if (verified.holder === holder && clock.now() < verified.expires) return verified.caller
        verifiedTokens.delete(name)
      }
      return verify(holder, jwt, name)
    },
  }
}
