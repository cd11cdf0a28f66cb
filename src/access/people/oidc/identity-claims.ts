// Validates the claims of a provider that Cairn uses. Pure.
// Tested by src/access/people/oidc/identity-claims.test.ts
import { AccountsRefusal } from '../../accounts/account-rules.ts'
import { parseEmail, parsePersonName } from '../person.ts'
import type { Claims } from './provider.ts'

export type IdentityClaims = {
  readonly issuer: string
  readonly subject: string
  /** Lower case. Null: the provider reports none, or has not verified it. */
  readonly email: string | null
  /** Displayed name; empty: not reported. */
  readonly name: string
  readonly groups: readonly string[]
  /** The provider verified a second factor. */
  readonly isStrong: boolean
}

const subjectMax = 255
const groupsMax = 1000
const textMax = 256

/** `secondFactorValues`: values of `amr` and `acr`. Throws AccountsRefusal `bad_identity`. */
export function readClaims(
  claims: Claims,
  settings: { readonly groupsClaim: string; readonly secondFactorValues: readonly string[] },
): IdentityClaims {
  const { iss: issuer, sub: subject, email_verified: isVerified } = claims
  if (subject.length > subjectMax) {
    throw new AccountsRefusal('bad_identity', 'the subject of this identity is too long')
  }
  const shown = [claims['amr'], claims['acr']].flat().filter((one) => typeof one === 'string')
  return {
    issuer,
    subject,
    // Some providers send the flag as a string.
    email: isVerified === true || isVerified === 'true' ? readEmail(claims['email']) : null,
    name: readName(claims['name']) || readName(claims['preferred_username']),
    groups: readGroups(claims[settings.groupsClaim]),
    isStrong: shown.some((one) => settings.secondFactorValues.includes(one)),
  }
}

function readEmail(value: unknown): string | null {
  try {
    return typeof value === 'string' ? parseEmail(value) : null
  } catch {
    return null
  }
}

function readName(value: unknown): string {
  try {
    return typeof value === 'string' ? parsePersonName(value.slice(0, 100)) : ''
  } catch {
    return ''
  }
}

/** Accepts a list of strings, or one string. */
function readGroups(value: unknown): readonly string[] {
  return [value ?? []]
    .flat()
    .filter((one): one is string => typeof one === 'string' && one.length <= textMax)
    .slice(0, groupsMax)
}
