// IP addresses: lists of addresses and CIDR blocks (RFC 4632, RFC 4291), addresses of this machine, addresses on the public
// internet (requests to untrusted addresses go only to these, against SSRF), and the network of a client (IPv6 /64).
// Tested by src/base/addresses.test.ts
import { BlockList, isIP } from 'node:net'

/** An IPv4 address unchanged; an IPv6 address as its /64, because one customer owns a whole /64 (RFC 6177). */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped !== null) return mapped[1] as string
  if (!address.includes(':')) return address
  const [front = '', back] = (address.split('%', 1)[0] as string).toLowerCase().split('::')
  const head = front === '' ? [] : front.split(':')
  const tail = back === undefined || back === '' ? [] : back.split(':')
  const zeros = back === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail]
  return groups.slice(0, 4).join(':')
}

/** `host`: a name or an address without brackets. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

const entryForm = /^([0-9a-fA-F:.]+)(?:\/([0-9]{1,3}))?$/

type IpRule = {
  readonly address: string
  readonly family: 'ipv4' | 'ipv6'
  /** Prefix length in bits. */
  readonly bits: number
}

/** Null: neither an address nor a CIDR block. */
export function parseIpRule(entry: string): IpRule | null {
  const [, address = '', bits] = entryForm.exec(entry.trim()) ?? []
  const version = isIP(address)
  if (version === 0) return null
  const bitsMax = version === 4 ? 32 : 128
  const counted = bits === undefined ? bitsMax : Number(bits)
  if (counted > bitsMax) return null
  return { address, family: version === 4 ? 'ipv4' : 'ipv6', bits: counted }
}

/** Returns a check whether one of the rules contains an address. IPv4-mapped IPv6 (`::ffff:192.0.2.1`) counts as IPv4. */
export function createIpList(rules: readonly IpRule[]): (address: string) => boolean {
  const list = new BlockList()
  for (const { address, family, bits } of rules) list.addSubnet(address, bits, family)
  return (address) => {
    // The zone of a link-local address names an interface of this machine.
    const [plain = ''] = address.split('%', 1)
    const version = isIP(plain)
    return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/**
 * Returns a check of addresses against a setting with a comma-separated list. The text is parsed again when it changes; null: the
 * list is empty.
 */
export function createListedIps(text: () => string | null): (address: string) => boolean {
  let read: string | null = null
  let contains: (address: string) => boolean = () => false
  return (address) => {
    const now = text()
    if (now === null) return false
    if (now !== read) {
      contains = createIpList(now.split(',').flatMap((entry) => parseIpRule(entry) ?? []))
      read = now
    }
    return contains(address)
  }
}

/** Not global by the IANA registries of special-purpose addresses, and multicast. */
const closedIpv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Wire server of Azure, which returns the configuration of a virtual machine: in a public range, but internal.
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
/** Within 2000::/3, the only assigned range: Teredo and other IETF assignments, documentation, 6to4. */
const closedIpv6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

/** `address`: as a resolver returns it. IPv6 forms that contain an IPv4 address are never public. */
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
