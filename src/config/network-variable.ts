// Short form in the environment: `CAIRN_NETWORKS_<NAME>_UPSTREAMS` holds the URLs of a network's upstreams,
// separated by commas. It replaces the file's upstreams, or configures a well-known network.
// Tested by src/config/networks.test.ts
import { type ConfigIssue, wrongAt } from './config-issue.ts'
import { type Environment, readSecretFile, resolveReferences } from './reference.ts'

/** Networks with a known chain ID, in the order in which they are served. */
const knownChainIds: Readonly<Record<string, number | undefined>> = {
  mainnet: 1,
  sepolia: 11_155_111,
  hoodi: 560_048,
}

/** Null: the chain ID is not known from the name. */
export function findChainId(name: string): number | null {
  return Object.hasOwn(knownChainIds, name) ? (knownChainIds[name] ?? null) : null
}

const form = /^CAIRN_NETWORKS_([A-Z0-9_]{1,63})_UPSTREAMS(_FILE)?$/

export function isNetworkVariable(name: string): boolean {
  return form.test(name)
}

/** Upstreams of one variable. `variable`: its name, for messages. */
export type ShortForm = {
  readonly network: string
  readonly variable: string
  /** Null: not a well-known network. */
  readonly chainId: number | null
  readonly urls: readonly string[]
}

export function readShortForms(env: Environment): {
  readonly forms: readonly ShortForm[]
  readonly mistakes: readonly ConfigIssue[]
} {
  const forms: ShortForm[] = []
  const mistakes: ConfigIssue[] = []
  for (const [variable, text] of Object.entries(env)) {
    const match = form.exec(variable)
    // Compose files set a variable to the empty string for "not given".
    if (match === null || text === undefined || text === '') continue
    const brought =
      match[2] === undefined
        ? resolveReferences(text, env, variable)
        : readSecretFile(text, variable)
    if (brought.mistake !== undefined) {
      mistakes.push(brought.mistake)
      continue
    }
    const network = (match[1] ?? '').toLowerCase().replaceAll('_', '-')
    const chainId = findChainId(network)
    const urls = brought.text.split(',').map((url) => url.trim())
    const twin = forms.find((one) => one.network === network)
    if (twin !== undefined) {
      const said = `${twin.variable} is set as well, expected one of them`
      mistakes.push(wrongAt(variable, said, `unset ${variable}`))
    } else forms.push({ network, variable, chainId, urls: urls.filter((url) => url !== '') })
  }
  const place = ({ network }: ShortForm) => {
    const at = Object.keys(knownChainIds).indexOf(network)
    return at === -1 ? Object.keys(knownChainIds).length : at
  }
  return { forms: forms.toSorted((a, b) => place(a) - place(b)), mistakes }
}
