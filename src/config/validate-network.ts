// One network as a person answers questions about it, judged as if it stood in a settings file.
// Tested by src/cli/commands/init.test.ts
import { refuse } from './config-error.ts'
import { readNetworks } from './networks.ts'
import { hasReference } from './reference.ts'

/** What was typed so far; what was not is taken as right. */
type Answer = { readonly name?: string; readonly chainId?: string; readonly urls?: string }

/** The URLs, one by one. Throws ConfigError with what is wrong. */
export async function validateNetwork(answer: Answer): Promise<readonly string[]> {
  const { name = 'mainnet', chainId = '1', urls = 'http://127.0.0.1' } = answer
  const upstreams = urls
    .split(',')
    .flatMap((url) => (url.trim() === '' ? [] : [{ url: url.trim() }]))
  // What a reference will bring is judged when it is there.
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
