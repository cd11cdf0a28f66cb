// Which untrusted addresses may be dialled (against SSRF): public addresses with server ports, unless the network is private. Host
// names are checked by the addresses that they resolve to, in the socket's own lookup.
// Tested by src/ipfs/network/child/dial-rules.test.ts
import { lookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Multiaddr } from '@multiformats/multiaddr'
import { isPublicAddress } from '../../../base/addresses.ts'

const bytesMax = 512
const webPorts = [80, 443]
const portMin = 1024

/** Whether a TCP address may be dialled. A host name passes, and is checked by `publicLookup`. */
export function mayDial(address: Multiaddr, isPrivate: boolean): boolean {
  const [host, transport] = address.getComponents()
  if (address.bytes.length > bytesMax || host?.value === undefined) return false
  if (host.name === 'dnsaddr') return true
  if (transport?.name !== 'tcp') return false
  if (isPrivate) return true
  if (!mayUsePort(Number(transport.value))) return false
  if (host.name === 'ip4' || host.name === 'ip6') return isPublicAddress(host.value)
  return ['dns', 'dns4', 'dns6'].includes(host.name) && host.value.includes('.')
}

export function mayUsePort(port: number): boolean {
  return webPorts.includes(port) || (port >= portMin && port <= 65_535)
}

/** Like `lookup` of node:dns, for sockets; fails unless every address of the name is public. */
export const publicLookup: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error !== null) return callback(error, '')
    const [first] = addresses
    if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(new Error('the host name does not resolve to public addresses only'), '')
    }
    if (options.all === true) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
