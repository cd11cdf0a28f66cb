// Selects the network of a request: path prefix, else Host label, else the default. Refuses a known label whose network is not
// served, because an answer from the wrong chain is worse than an error.
import { Fault } from '../base/fault.ts'

const mainnetAndSepolia =
  'arbitrum base blast celo linea mantle optimism scroll starknet unichain zksync'
const mainnetAndTestnet = 'bsc hemi megaeth monad opbnb palm sei swellchain'
const others =
  'mainnet sepolia hoodi goerli avalanche-mainnet avalanche-fuji polygon-mainnet polygon-amoy ' +
  'polygon-mumbai solana-mainnet solana-devnet'

/** Labels in the hosted service's documentation, old ones included. */
const knownLabels: ReadonlySet<string> = new Set([
  ...others.split(' '),
  ...mainnetAndSepolia
    .split(' ')
    .flatMap((name) => ['mainnet', 'sepolia', 'goerli'].map((x) => `${name}-${x}`)),
  ...mainnetAndTestnet
    .split(' ')
    .flatMap((name) => ['mainnet', 'testnet'].map((x) => `${name}-${x}`)),
])

/**
 * `networks`: the served networks, the default first; returns the same array until it changes. Labels are compared in lower case.
 * The returned function throws `no_network`.
 */
export function createNetworkChoice<Named extends { readonly name: string }>(
  networks: () => readonly Named[],
): (pathLabel: string | null, hostLabel: string | null) => Named {
  let listed: readonly Named[] = []
  let served = new Map<string, Named>()

  function update(): void {
    listed = networks()
    served = new Map(listed.map((network) => [network.name, network]))
  }
  update()

  return (pathLabel, hostLabel) => {
    if (networks() !== listed) update()
    const fallback = listed[0]
    const path = pathLabel?.toLowerCase() ?? null
    const host = hostLabel?.toLowerCase() ?? null
    const hostNames = host !== null && (served.has(host) || knownLabels.has(host)) ? host : null
    if (path !== null && hostNames !== null && path !== hostNames) {
      throw notServed(served.has(path) ? hostNames : path)
    }
    const label = path ?? hostNames
    if (label === null && fallback !== undefined) return fallback
    if (label === null) throw notServed('')
    const network = served.get(label)
    if (network === undefined) throw notServed(label)
    return network
  }
}

function notServed(label: string): Fault {
  return new Fault('no_network', { detail: `network ${label.slice(0, 256)} is not served` })
}
