// Constants of public networks: their first block and their blob schedule.
// Sources: go-ethereum params/config.go; EIP-4844, EIP-7691, EIP-7892; EIP-7607 for the times.

/** Newest first: the blob base fee update fraction from a block time (seconds) on (EIP-7840). */
export type BlobFractions = readonly { readonly from: bigint; readonly fraction: bigint }[]

export type KnownNetwork = {
  /** `0x` hex of the hash of block 0. */
  readonly genesisHash: string
  readonly blobFractions: BlobFractions
}

const cancun = 3_338_477n
const prague = 5_007_716n
const bpo1 = 8_346_193n
const bpo2 = 11_684_671n

const known: ReadonlyMap<bigint, KnownNetwork> = new Map([
  [
    1n,
    {
      genesisHash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
      blobFractions: [
        { from: 1_767_747_671n, fraction: bpo2 },
        { from: 1_765_290_071n, fraction: bpo1 },
        { from: 1_746_612_311n, fraction: prague },
        { from: 1_710_338_135n, fraction: cancun },
      ],
    },
  ],
  [
    11_155_111n,
    {
      genesisHash: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
      blobFractions: [
        { from: 1_761_607_008n, fraction: bpo2 },
        { from: 1_761_017_184n, fraction: bpo1 },
        { from: 1_741_159_776n, fraction: prague },
        { from: 1_706_655_072n, fraction: cancun },
      ],
    },
  ],
  [
    560_048n,
    {
      genesisHash: '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
      blobFractions: [
        { from: 1_762_955_544n, fraction: bpo2 },
        { from: 1_762_365_720n, fraction: bpo1 },
        { from: 1_742_999_832n, fraction: prague },
        { from: 0n, fraction: cancun },
      ],
    },
  ],
])

/** Null for an unknown chain ID. */
export function findKnownNetwork(chainId: bigint): KnownNetwork | null {
  return known.get(chainId) ?? null
}

/** In force at a block time (seconds); null if it is unknown, or before blobs existed. */
export function blobFractionAt(fractions: BlobFractions, timestamp: bigint): bigint | null {
  return fractions.find(({ from }) => timestamp >= from)?.fraction ?? null
}
