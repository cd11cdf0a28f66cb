// How a person signs in, in words. Pure.
// Tested by dashboard/pages/people/sign-in-means.test.ts

type Means = {
  readonly hasPassword: boolean
  /** A code of an authenticator beside the password. */
  readonly hasTotp: boolean
  /** Their number. */
  readonly passkeys: number
  /** Of an identity at an OpenID provider; null: none is linked. */
  readonly issuer: string | null
}

/** `Passkey, authenticator`; empty: sign-in with only a password. */
export function factorsOf({ hasTotp, passkeys, issuer }: Omit<Means, 'hasPassword'>): string {
  return listed([
    ...(passkeys > 0 ? ['passkey'] : []),
    ...(hasTotp ? ['authenticator'] : []),
    ...(issuer === null ? [] : ['OpenID']),
  ])
}

/** `Passkey, password and code`, `Password only`. */
export function signInOf({ hasPassword, hasTotp, passkeys, issuer }: Means): string {
  const others = [...(passkeys > 0 ? ['passkey'] : []), ...(issuer === null ? [] : ['OpenID'])]
  if (!hasPassword) return others.length === 0 ? 'No way to sign in' : listed(others)
  if (!hasTotp && others.length === 0) return 'Password only'
  return listed([...others, hasTotp ? 'password and code' : 'password'])
}

function listed(texts: readonly string[]): string {
  const text = texts.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
