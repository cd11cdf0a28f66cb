// Which people must use a second factor: an authenticator code, a passkey, or that of the OpenID provider. Pure.
// Tested by test/admin/second-factor-policy.test.ts

export type SecondFactorPolicy = 'optional' | 'operators' | 'required'

export function needsSecondFactor(
  policy: SecondFactorPolicy,
  { isOperator }: { readonly isOperator: boolean },
): boolean {
  return policy === 'required' || (policy === 'operators' && isOperator)
}
