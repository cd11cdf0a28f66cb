// Tests whether an address is on the public internet. Requests to addresses named by strangers go only to these, so that
// internal services (loopback, private networks, cloud metadata) cannot be reached (SSRF).
import { BlockList, isIP } from 'node:net'

/** Not global by the IANA registries of special-purpose addresses, and multicast. */
const closedIpv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Answers each virtual machine of Azure with its own configuration; public by its number alone.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const
/** Within 2000::/3, which alone is given out: Teredo and other assignments, documentation, 6to4. */
const closedIpv6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

/** `address`: as a resolver returns it. IPv4 inside of IPv6 is never public: no public host is reached by it. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !lists.ipv4.check(address, 'ipv4')
  if (version !== 6 || address.includes('%')) return false
  return lists.global.check(address, 'ipv6') && !lists.ipv6.check(address, 'ipv6')
}

function listOf(
  family: 'ipv4' | 'ipv6',
  blocks: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList()
  for (const [net, bits] of blocks) list.addSubnet(net, bits, family)
  return list
}

const lists = {
  ipv4: listOf('ipv4', closedIpv4),
  ipv6: listOf('ipv6', closedIpv6),
  global: listOf('ipv6', [['2000::', 3]]),
}
