// An entry of an address list: an IPv4 or IPv6 address, or a block of them in CIDR form (RFC 4632, RFC 4291).
// Tested by src/access/accounts/allowlists.test.ts
import { BlockList, isIP } from 'node:net'

const entryForm = /^([0-9a-fA-F:.]+)(?:\/([0-9]{1,3}))?$/

type IpRule = {
  readonly address: string
  readonly family: 'ipv4' | 'ipv6'
  /** Bits of the address that count. */
  readonly bits: number
}

/** Null when it is neither an address nor a block of addresses. */
export function parseIpRule(entry: string): IpRule | null {
  const [, address = '', bits] = entryForm.exec(entry.trim()) ?? []
  const version = isIP(address)
  if (version === 0) return null
  const bitsMax = version === 4 ? 32 : 128
  const counted = bits === undefined ? bitsMax : Number(bits)
  if (counted > bitsMax) return null
  return { address, family: version === 4 ? 'ipv4' : 'ipv6', bits: counted }
}

/** Does one of the rules hold the address? IPv4 written as IPv6 (`::ffff:192.0.2.1`) is the same address. */
export function createIpList(rules: readonly IpRule[]): (address: string) => boolean {
  const list = new BlockList()
  for (const { address, family, bits } of rules) list.addSubnet(address, bits, family)
  return (address) => {
    // The zone of a link-local address names a card of this machine.
    const [plain = ''] = address.split('%', 1)
    const version = isIP(plain)
    return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/**
 * Checks addresses against a list in a setting, separated by commas. Parsed again when the text changes; null: the list
 * is empty.
 */
export function createListedIps(text: () => string | null): (address: string) => boolean {
  let read: string | null = null
  let holds: (address: string) => boolean = () => false
  return (address) => {
    const now = text()
    if (now === null) return false
    if (now !== read) {
      holds = createIpList(now.split(',').flatMap((entry) => parseIpRule(entry) ?? []))
      read = now
    }
    return holds(address)
  }
}
