// Problems of the OpenID provider: discovery fails, or its redirect would leave https.
// Tested by src/cli/doctor/openid-checks.test.ts
import type { QueriedOpenId } from '../query-openid.ts'
import { problem, type Problem } from '../../server/network-checks/problem.ts'

export function* checkOpenId(found: QueriedOpenId | null): Generator<Problem> {
  if (found === null || found.failure === null) return
  const { name, issuer, failure } = found
  yield problem(
    'openid_unreachable',
    `people cannot sign in with ${name} (${issuer}): ${failure}`,
    `correct signIn.oidc.issuer, the value of issuer in <issuer>/.well-known/openid-configuration`,
  )
}
