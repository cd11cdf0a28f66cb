// Which network a request means: path prefix, else Host label, else the default (contract-rpc 1).
// A known label that is not served is refused: an answer from the wrong chain is worse than an error.
import { Fault } from '../base/fault.ts'
import type { Network } from '../ethereum/network.ts'

const mainnetAndSepolia =
  'arbitrum base blast celo linea mantle optimism scroll starknet unichain zksync'
const mainnetAndTestnet = 'bsc hemi megaeth monad opbnb palm sei swellchain'
const others =
  'mainnet sepolia hoodi goerli avalanche-mainnet avalanche-fuji polygon-mainnet polygon-amoy ' +
  'polygon-mumbai solana-mainnet solana-devnet'

/** Labels of the hosted service's documentation, old ones included. */
const knownLabels: ReadonlySet<string> = new Set([
  ...others.split(' '),
  ...mainnetAndSepolia
    .split(' ')
    .flatMap((name) => ['mainnet', 'sepolia', 'goerli'].map((x) => `${name}-${x}`)),
  ...mainnetAndTestnet
    .split(' ')
    .flatMap((name) => ['mainnet', 'testnet'].map((x) => `${name}-${x}`)),
])

/** `networks`: the first one is the default. Labels are compared in lower case. */
export function createNetworkChoice(
  networks: readonly Network[],
): (pathLabel: string | null, hostLabel: string | null) => Network {
  const served = new Map(networks.map((network) => [network.name, network]))
  const [fallback] = networks
  if (fallback === undefined) throw new TypeError('at least one network must be configured')

  return (pathLabel, hostLabel) => {
    const path = pathLabel?.toLowerCase() ?? null
    const host = hostLabel?.toLowerCase() ?? null
    const hostNames = host !== null && (served.has(host) || knownLabels.has(host)) ? host : null
    if (path !== null && hostNames !== null && path !== hostNames) {
      throw notServed(served.has(path) ? hostNames : path)
    }
    const label = path ?? hostNames
    if (label === null) return fallback
    const network = served.get(label)
    if (network === undefined) throw notServed(label)
    return network
  }
}

function notServed(label: string): Fault {
  return new Fault('no_network', { detail: `network ${label.slice(0, 256)} is not served` })
}
