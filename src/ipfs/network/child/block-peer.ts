// What a session knows of a peer that may have blocks: a connected Bitswap peer, or a gateway over HTTPS. And where peers are
// found.

export type BlockPeer = {
  /** A peer ID, or the origin of a gateway. */
  readonly name: string
  /** `haveOnly`: whether it has the block. A gateway does not answer that. */
  want(cid: Uint8Array, haveOnly: boolean): void
  cancel(cid: Uint8Array): void
}

/** A place that routing, a hint or the operator names. */
export type Provider =
  | { readonly kind: 'peer'; readonly peer: string; readonly addresses: readonly string[] }
  | { readonly kind: 'gateway'; readonly url: string }

export function providerName(provider: Provider): string {
  return provider.kind === 'peer' ? provider.peer : provider.url
}
