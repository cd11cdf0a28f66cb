// Type of the facts about a public network: a row of network-table.ts.
// Tested by src/base/known-networks.test.ts

/** Newest first: the blob base fee update fraction from a block time (seconds) on (EIP-7840). */
export type BlobFractions = readonly { readonly from: bigint; readonly fraction: bigint }[]

/** A fork and its first block: a number, or the first one at or after `time` (seconds since 1970). */
export type Fork =
  | { readonly name: string; readonly block: bigint }
  | { readonly name: string; readonly time: bigint }

/** Oldest first. Names as in geth's genesis files (`london`, `prague`), of the OP Stack (`fjord`), of Base (`azul`). */
export type ForkSchedule = readonly Fork[]

/** Determines the transaction and receipt types of its blocks: `nitro` is Arbitrum. */
export type NetworkFamily = 'ethereum' | 'op' | 'nitro' | 'polygon'

export type KnownNetwork = {
  /** Label at hosted services, and primary name in `--network`. */
  readonly name: string
  readonly aliases: readonly string[]
  readonly title: string
  readonly chainId: bigint
  /** Hash of block 0 as `0x` hex; null: no published source is known, so Cairn queries upstreams. */
  readonly genesisHash: string | null
  /** Time between blocks, seconds. */
  readonly blockSeconds: number
  readonly family: NetworkFamily
  /** First block whose roots cover all of its transactions and receipts, in a supported form. */
  readonly listsFrom: bigint
  /** Rules of its EVM; `none`: unknown. */
  readonly rules: 'ethereum' | 'op' | 'none'
  /** Block time (seconds) from which `rules` no longer apply. */
  readonly rulesUntil?: bigint
  /** `beacon`: sync committees sign its blocks, so a light client can prove a head; `upstream`: only its nodes report one. */
  readonly finality: 'beacon' | 'upstream'
  /** Empty if `rules` is `none`. */
  readonly forks: ForkSchedule
  /** Empty: its blocks have no blobs. */
  readonly blobFractions: BlobFractions
}
