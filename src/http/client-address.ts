// Who sent a request: the peer of its connection, or, where that is a proxy the operator trusts, whom the proxy names
// in X-Forwarded-For. A header of anybody else is not looked at, since everybody can write one.
import { isIP } from 'node:net'

export type ClientAddress = {
  /** Is the peer a trusted proxy? */
  readonly trusts: (peer: string) => boolean
  /** `forwardedFor`: the header as it came, several joined by a comma. */
  readonly of: (peer: string, forwardedFor: string | undefined) => string
}

/** Proxies one behind the other; who stands further off is not looked for. */
const proxiesMax = 16

/**
 * Each proxy adds behind the others whom it heard, so the last address that is no trusted proxy's is the caller's.
 * Before something that is no address, the proxy that wrote it counts as the caller.
 */
export function createClientAddress(trusts: (address: string) => boolean): ClientAddress {
  return {
    trusts,
    of(peer, forwardedFor) {
      if (forwardedFor === undefined || !trusts(peer)) return peer
      let heard = peer
      let rest = forwardedFor
      for (let hops = 0; hops < proxiesMax && rest !== ''; hops++) {
        const comma = rest.lastIndexOf(',')
        const address = addressIn(rest.slice(comma + 1).trim())
        if (address === null) return heard
        heard = address
        if (!trusts(address)) return address
        rest = comma === -1 ? '' : rest.slice(0, comma)
      }
      return heard
    },
  }
}

/** No proxy is trusted: the client address is that of the socket. */
export const peerAddress: ClientAddress = { trusts: () => false, of: (peer) => peer }

/** Some proxies write the port, too: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function addressIn(entry: string): string | null {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(entry) ?? []
  const address = bracketed ?? plain ?? entry
  return isIP(address) === 0 ? null : address
}
