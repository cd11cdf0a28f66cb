// A peer that may have blocks, as sessions see it: a connected Bitswap peer, or a gateway over HTTPS. And the providers through
// which peers are found.

export type BlockPeer = {
  /** A peer ID, or the origin of a gateway. */
  readonly name: string
  /** `haveOnly`: requests only whether the peer has the block; gateways do not answer that. */
  want(cid: Uint8Array, haveOnly: boolean): void
  cancel(cid: Uint8Array): void
}

/** A provider found by routing, a hint or the operator. */
export type Provider =
  | { readonly kind: 'peer'; readonly peer: string; readonly addresses: readonly string[] }
  | { readonly kind: 'gateway'; readonly url: string }

export function providerName(provider: Provider): string {
  return provider.kind === 'peer' ? provider.peer : provider.url
}
