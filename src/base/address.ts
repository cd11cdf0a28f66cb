// Groups addresses by customer: limits per caller apply to all addresses that one customer usually has (IPv6 /64).
// Tested by src/access/limits/failed-authentications.test.ts

/** An IPv4 address as it is, an IPv6 address by its /64: one customer owns a whole one (RFC 6177). */
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
