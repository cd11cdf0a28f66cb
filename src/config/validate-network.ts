// Validates one network from answers in a dialogue, with the rules of the settings file.
// Tested by src/cli/commands/init.test.ts
import { refuse } from './config-error.ts'
import { readNetworks } from './networks.ts'
import { hasReference } from './reference.ts'

/** The answers so far; missing ones count as valid. */
type Answer = { readonly name?: string; readonly chainId?: string; readonly urls?: string }

/** Returns the list of URLs. Throws ConfigError with all issues. */
export async function validateNetwork(answer: Answer): Promise<readonly string[]> {
  const { name = 'mainnet', chainId = '1', urls = 'http://127.0.0.1' } = answer
  const upstreams = urls
    .split(',')
    .flatMap((url) => (url.trim() === '' ? [] : [{ url: url.trim() }]))
  // The value of a reference is validated when it is set.
  const judged = upstreams.map(({ url }, index) => ({
    url: hasReference(url) ? `http://reference-${index}` : url,
  }))
  const network = {
    name,
    chainId: /^\d{1,16}$/.test(chainId) ? Number(chainId) : chainId,
    upstreams: judged,
  }
  const lines = new Map<string, number>()
  const value = { path: 'networks', value: [network], line: 1, lines }
  const { mistakes } = readNetworks('the answer', [value], {})
  refuse(
    mistakes.map((mistake) => ({
      ...mistake,
      text: mistake.text.replace(/^the answer:\d+/, 'the answer'),
    })),
  )
  return upstreams.map(({ url }) => url)
}
