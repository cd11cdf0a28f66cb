// Host and port of a multiaddr over TCP.
// Tested by src/cli/doctor/ipfs-network-checks.test.ts

/** Null: another kind of address. */
export function hostAndPort(address: string) {
  const match = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)\/tcp\/(\d{1,5})(\/.*)?$/.exec(address)
  if (match === null) return null
  const [, kind = '', host = '', port = '', rest = ''] = match
  return {
    host,
    port: Number(port),
    isName: kind.startsWith('dns'),
    isGateway: /^\/(tls|https)(\/|$)/.test(rest) && /(^|\/)https?(\/|$)/.test(rest),
  }
}
