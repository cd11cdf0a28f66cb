// What Cairn knows of a public network: a row of network-table.ts.
// Tested by src/base/known-networks.test.ts

/** Newest first: the blob base fee update fraction from a block time (seconds) on (EIP-7840). */
export type BlobFractions = readonly { readonly from: bigint; readonly fraction: bigint }[]

/** A fork and its first block: a number, or the first one at or after `time` (seconds since 1970). */
export type Fork =
  | { readonly name: string; readonly block: bigint }
  | { readonly name: string; readonly time: bigint }

/** Oldest first. Names: those of geth's genesis files (`london`, `prague`), of the OP Stack (`fjord`), of Base (`azul`). */
export type ForkSchedule = readonly Fork[]

/** The transactions and receipts of its blocks: `nitro` is Arbitrum. */
export type NetworkFamily = 'ethereum' | 'op' | 'nitro' | 'polygon'

export type KnownNetwork = {
  /** Label of hosted services, and first name of `--network`. */
  readonly name: string
  readonly aliases: readonly string[]
  readonly title: string
  readonly chainId: bigint
  /** `0x` hex of the hash of block 0; null: no published source was found, so upstreams are asked. */
  readonly genesisHash: string | null
  /** Time between blocks, seconds. */
  readonly blockSeconds: number
  readonly family: NetworkFamily
  /** First block whose roots contain all of its transactions and receipts, in a form that is known. */
  readonly listsFrom: bigint
  /** Rules of its EVM; `none`: not known. */
  readonly rules: 'ethereum' | 'op' | 'none'
  /** Block time (seconds) from which on `rules` no longer holds. */
  readonly rulesUntil?: bigint
  /** `beacon`: sync committees sign its blocks, so a light client can prove a head; `upstream`: only its nodes name one. */
  readonly finality: 'beacon' | 'upstream'
  /** Empty where `rules` is `none`. */
  readonly forks: ForkSchedule
  /** Empty: its blocks have no blobs. */
  readonly blobFractions: BlobFractions
}
