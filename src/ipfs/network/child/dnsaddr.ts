// Resolves addresses such as `/dnsaddr/bootstrap.libp2p.io` by TXT records. Strangers send such addresses too, and js-libp2p follows names
// behind names for 32 levels, each with any number of answers: one address can stand for more names than the process could ever
// look up. So both are limited.
// Specification: https://github.com/multiformats/multiaddr/blob/master/protocols/DNSADDR.md
// Tested by src/ipfs/network/child/dnsaddr.test.ts
import type { MultiaddrResolver } from '@libp2p/interface'
import { dnsaddrResolver } from 'libp2p'

/** Answers of one name that are used. */
export const answersMax = 32
/** A name may lead to other names, as the bootstrap name of the public network does, but these to addresses alone. */
export const levelsMax = 2

export const limitedDnsaddr: MultiaddrResolver = {
  canResolve: (address) => dnsaddrResolver.canResolve(address),
  async resolve(address, options) {
    options.signal?.throwIfAborted()
    // js-libp2p counts the levels in its options, which its type does not state.
    const { depth = 0 } = options as { readonly depth?: number }
    if (depth >= levelsMax) return []
    const found = await dnsaddrResolver.resolve(address, options)
    return found.slice(0, answersMax)
  },
}
