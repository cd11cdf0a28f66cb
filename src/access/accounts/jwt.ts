// Verifies the JWT of a request (RFC 7519): signed with one of the ApiKey's public keys, for this server, and not expired. Its own
// lists (`methods`, `addresses`, `origins`, `user_agents`) replace those of the key.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Jose from 'jose'
import type { JWTPayload } from 'jose'
import { Fault } from '../../base/fault.ts'
import { type Allowlists, compileAllowlists } from './allowlists.ts'
import { parseAllowlist } from './parse-key-settings.ts'
import type { ParsedPublicKey } from './jwt-public-keys.ts'

/** Public keys by `kid`. */
export type JwtKeys = ReadonlyMap<string, ParsedPublicKey>

/** `expires`: milliseconds since 1970. `lists` null: the token has no lists, so those of the key apply. */
export type VerifiedJwt = { readonly expires: number; readonly lists: Allowlists | null }

/** The failed check, in `data.reason`. */
type Reason =
  | 'required'
  | 'malformed'
  | 'kid'
  | 'algorithm'
  | 'signature'
  | 'expired'
  | 'not_yet'
  | 'audience'
  | 'claims'
  | 'lifetime'

export const jwtCharsMax = 8_192

/** Loaded with the first token, so that servers without JWTs save its 14 MB. */
const jose = () => createRequire(import.meta.url)('jose') as typeof Jose
/** Compact form of a signed token (RFC 7515 7.1): jose ignores other characters in between. */
const compactForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/
/** Maximum difference between the signer's clock and the local clock. */
const skewSeconds = 30

export function badToken(reason: Reason, cause?: unknown): Fault {
  return new Fault('bad_token', { data: { reason }, cause })
}

/**
 * `audiences`: the token must contain one of them. `now`: milliseconds since 1970. Throws `bad_token`, whose reason names the
 * failed check. The public key determines the algorithm, not the header.
 */
export async function verifyJwt(
  text: string,
  keys: JwtKeys,
  at: {
    readonly now: number
    readonly audiences: readonly string[]
    /** Maximum time from `iat` (without it: from `now`) to `exp`, milliseconds; absent: no limit. */
    readonly lifeMsMax?: number
  },
): Promise<VerifiedJwt> {
  const { kid, typ } = headerOf(text)
  const key = kid === undefined ? undefined : keys.get(kid)
  if (key === undefined) throw badToken('kid')
  try {
    const { payload } = await jose().jwtVerify(text, keyObjectOf(key), {
      algorithms: [key.algorithm],
      audience: [...at.audiences],
      clockTolerance: skewSeconds,
      currentDate: new Date(at.now),
      requiredClaims: ['exp', 'aud'],
      // Refuses tokens that the same key signs for other uses.
      ...(typ === undefined ? {} : { typ: 'JWT' }),
    })
    checkLife(payload, at)
    return {
      expires: ((payload.exp as number) + skewSeconds) * 1000,
      lists: listsOf(payload),
    }
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown : badToken(reasonOf(thrown), thrown)
  }
}

function checkLife(
  { iat, exp = 0 }: JWTPayload,
  { now, lifeMsMax = Infinity }: { readonly now: number; readonly lifeMsMax?: number },
): void {
  // A later `iat` than now would extend the lifetime beyond the maximum from now.
  const from = Math.min(iat ?? now / 1000, now / 1000 + skewSeconds)
  if ((exp - from) * 1000 > lifeMsMax + skewSeconds * 1000) throw badToken('lifetime')
}

function headerOf(text: string): { readonly kid?: string; readonly typ?: string } {
  if (text.length > jwtCharsMax || !compactForm.test(text)) throw badToken('malformed')
  try {
    const { kid, typ } = jose().decodeProtectedHeader(text)
    return {
      ...(typeof kid === 'string' ? { kid } : {}),
      ...(typeof typ === 'string' ? { typ } : {}),
    }
  } catch (cause) {
    throw badToken('malformed', cause)
  }
}

// Created for the first token: most keys have none, and creating it takes as long as a call.
const keyObjects = new WeakMap<ParsedPublicKey, KeyObject>()

function keyObjectOf(key: ParsedPublicKey): KeyObject {
  const cached = keyObjects.get(key)
  if (cached !== undefined) return cached
  const fresh = createPublicKey({ key: Buffer.from(key.spki), format: 'der', type: 'spki' })
  keyObjects.set(key, fresh)
  return fresh
}

const listClaims = {
  methods: 'allowMethods',
  addresses: 'allowAddresses',
  origins: 'allowOrigins',
  user_agents: 'allowUserAgents',
} as const

/** An empty list, or a claim that is not a list of valid entries, cannot be enforced: the token is refused. */
function listsOf(payload: JWTPayload): Allowlists | null {
  const claimed = Object.entries(listClaims).filter(([claim]) => payload[claim] !== undefined)
  if (claimed.length === 0) return null
  const lists = { ...noLists }
  for (const [claim, name] of claimed) {
    try {
      lists[name] = parseAllowlist(name, payload[claim])
    } catch (cause) {
      throw badToken('claims', cause)
    }
    if (lists[name].length === 0) throw badToken('claims')
  }
  return compileAllowlists(lists)
}

const noLists = {
  allowAddresses: [] as readonly string[],
  allowMethods: [] as readonly string[],
  allowOrigins: [] as readonly string[],
  allowUserAgents: [] as readonly string[],
  allowIps: [] as readonly string[],
}

function reasonOf(thrown: unknown): Reason {
  const { errors } = jose()
  if (thrown instanceof errors.JWTExpired) return 'expired'
  if (thrown instanceof errors.JWSSignatureVerificationFailed) return 'signature'
  if (thrown instanceof errors.JOSEAlgNotAllowed) return 'algorithm'
  if (!(thrown instanceof errors.JWTClaimValidationFailed)) return 'malformed'
  if (thrown.claim === 'aud') return 'audience'
  return thrown.claim === 'nbf' && thrown.reason === 'check_failed' ? 'not_yet' : 'claims'
}
