// Short forms of a network: the variable `CAIRN_NETWORKS_<NAME>_UPSTREAMS` with the URLs of its upstreams, separated by commas, and
// the flags `--network`, `--upstream` and `--trusted`, which take precedence. A short form replaces the file's upstreams, or
// configures a network whose chain ID is known.
// Tested by src/config/networks.test.ts
import { networkTable } from '../base/network-table.ts'
import { type ConfigIssue, wrongAt } from './config-issue.ts'
import { type Environment, readSecretFile, resolveReferences } from './reference.ts'

/** Chain IDs of networks that the table of known networks lacks, by their host labels at hosted services (chainid.network). */
const otherChainIds: Readonly<Record<string, number>> = {
  holesky: 17_000,
  'avalanche-mainnet': 43_114,
  'avalanche-fuji': 43_113,
  'blast-mainnet': 81_457,
  'blast-sepolia': 168_587_773,
  'bsc-mainnet': 56,
  'bsc-testnet': 97,
  'celo-mainnet': 42_220,
  'linea-mainnet': 59_144,
  'linea-sepolia': 59_141,
  'mantle-mainnet': 5000,
  'mantle-sepolia': 5003,
  'opbnb-mainnet': 204,
  'opbnb-testnet': 5611,
  'scroll-mainnet': 534_352,
  'scroll-sepolia': 534_351,
  'zksync-mainnet': 324,
  'zksync-sepolia': 300,
}

/** Ethereum networks, which are served before others. */
const firstNames: readonly string[] = ['mainnet', 'sepolia', 'hoodi', 'holesky']

const chainIds: ReadonlyMap<string, number> = new Map([
  ...Object.entries(otherChainIds),
  ...networkTable.map(({ name, chainId }) => [name, Number(chainId)] as const),
])

const aliases: ReadonlyMap<string, string> = new Map(
  networkTable.flatMap(({ name, aliases: others }) => others.map((alias) => [alias, name])),
)

/** Names whose chain ID is known, in serving order. */
export const namesWithChainId: readonly string[] = [
  ...firstNames,
  ...[...chainIds.keys()]
    .filter((name) => !firstNames.includes(name))
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)),
]

/** Orders a main network before its test networks. */
function placeOf(name: string): string {
  return name.replace(/mainnet$/, '')
}

/** `name`: also an alias of the table of known networks. Null: no known chain ID. */
export function findChainId(name: string): number | null {
  return chainIds.get(aliases.get(name) ?? name) ?? null
}

const form = /^CAIRN_NETWORKS_([A-Z0-9_]{1,63})_UPSTREAMS(_FILE)?$/

export function isNetworkVariable(name: string): boolean {
  return form.test(name)
}

/** One `--network` with the `--upstream` flags that follow it. */
export type NetworkFlags = {
  readonly network: string
  readonly urls: readonly string[]
  /** The upstreams are the operator's own nodes. */
  readonly trusted: boolean
}

/** Upstreams of one network. `variable`: the variable or flag that contains them, for messages. */
export type ShortForm = {
  readonly network: string
  readonly variable: string
  readonly trusted: boolean
  /** How the operator can remove the short form, for messages. */
  readonly removal: string
  /** Null: not a well-known network. */
  readonly chainId: number | null
  readonly urls: readonly string[]
}

export function readShortForms(
  env: Environment,
  flags: readonly NetworkFlags[] = [],
): {
  readonly forms: readonly ShortForm[]
  readonly mistakes: readonly ConfigIssue[]
} {
  const forms: ShortForm[] = []
  const mistakes: ConfigIssue[] = []
  for (const one of flags) readFlags(one, env, { forms, mistakes })
  const flagged = new Set(flags.map(({ network }) => network))
  for (const [variable, text] of Object.entries(env)) {
    const match = form.exec(variable)
    // Compose files set a variable to the empty string for "not set".
    if (match === null || text === undefined || text === '') continue
    const value =
      match[2] === undefined
        ? resolveReferences(text, env, variable)
        : readSecretFile(text, variable)
    if (value.mistake !== undefined) {
      mistakes.push(value.mistake)
      continue
    }
    const network = (match[1] ?? '').toLowerCase().replaceAll('_', '-')
    if (flagged.has(network)) continue
    const chainId = findChainId(network)
    const urls = value.text.split(',').map((url) => url.trim())
    const twin = forms.find((one) => one.network === network)
    if (twin !== undefined) {
      const message = `${twin.variable} is set as well, expected one of them`
      mistakes.push(wrongAt(variable, message, `unset ${variable}`))
    } else {
      const shared = { network, variable, chainId, trusted: false, removal: `unset ${variable}` }
      forms.push({ ...shared, urls: urls.filter((url) => url !== '') })
    }
  }
  const place = ({ network }: ShortForm) => {
    const at = namesWithChainId.indexOf(aliases.get(network) ?? network)
    return at === -1 ? namesWithChainId.length : at
  }
  return { forms: forms.toSorted((a, b) => place(a) - place(b)), mistakes }
}

const upstreamFlag = '--upstream'

function readFlags(
  { network, urls, trusted }: NetworkFlags,
  env: Environment,
  { forms, mistakes }: { readonly forms: ShortForm[]; readonly mistakes: ConfigIssue[] },
): void {
  if (forms.some((form) => form.network === network)) {
    const message = `--network: ${network} is given twice`
    mistakes.push({
      code: 'wrong_setting',
      text: message,
      fix: 'name it once, before its upstreams',
    })
    return
  }
  const read: string[] = []
  for (const url of urls) {
    const resolved = resolveReferences(url, env, upstreamFlag, { emptyRefused: true })
    if (resolved.mistake === undefined) read.push(resolved.text)
    else mistakes.push(resolved.mistake)
  }
  const removal = `use a known name: ${namesWithChainId.join(', ')}; or: cairn networks add`
  const chainId = findChainId(network)
  forms.push({ network, variable: upstreamFlag, trusted, removal, chainId, urls: read })
}
