// Converts multiaddrs of the settings, of hints and of commands to providers and to dial targets.
// Tested by src/ipfs/network/child/dial-rules.test.ts
import type { Multiaddr } from '@multiformats/multiaddr'
import { multiaddr } from '@multiformats/multiaddr'
import type { Provider } from './block-peer.ts'
import { gatewayUrl } from './routers.ts'

/** Null: not a multiaddr. */
export function parseMultiaddr(text: string): Multiaddr | null {
  try {
    return text.length <= 512 ? multiaddr(text) : null
  } catch {
    return null
  }
}

/** The peer ID that the address ends with, or null. */
export function peerOf(address: Multiaddr): string | null {
  const last = address.getComponents().at(-1)
  return last?.name === 'p2p' ? (last.value ?? null) : null
}

/** A peer, or a gateway for an HTTP address; empty if the address is neither. */
export function providersOfAddress(text: string): readonly Provider[] {
  const url = gatewayUrl(text)
  if (url !== null) return [{ kind: 'gateway', url }]
  const address = parseMultiaddr(text)
  const peer = address === null ? null : peerOf(address)
  if (peer === null) return []
  const bare = text.slice(0, text.lastIndexOf('/p2p/'))
  return [{ kind: 'peer', peer, addresses: bare === '' ? [] : [bare] }]
}

/** The addresses that are valid multiaddrs, each with the peer ID. */
export function dialTargets(peer: string, addresses: readonly string[]): readonly Multiaddr[] {
  return addresses.flatMap((text) => {
    const address = parseMultiaddr(text)
    if (address === null) return []
    return peerOf(address) === null ? (parseMultiaddr(`${text}/p2p/${peer}`) ?? []) : address
  })
}
