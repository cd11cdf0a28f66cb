// Import profiles: sets of import options that several tools share, so that the same files get the same CIDs. An `add`
// without options uses one of them. Values: IPIP-499.
// Tested by src/kubo/params/import-options.test.ts

/**
 * A directory is sharded if it has more than `linksMax` links (0: no limit), or if its size is above `bytes`. `estimate`
 * determines the size: of names and CIDs only (`links`), of the whole block, or no size limit (`disabled`).
 */
export type Sharding = {
  readonly linksMax: number
  readonly bytes: number
  readonly estimate: ShardEstimate
  /** Slots of a shard: a power of two from 8 to 1024. */
  readonly fanout: number
}

export type ShardEstimate = 'links' | 'block' | 'disabled'

export type ImportProfile = {
  readonly cidVersion: 0 | 1
  readonly rawLeaves: boolean
  readonly chunkBytes: number
  readonly maxFileLinks: number
  readonly sharding: Sharding
}

export type ImportProfileName = 'unixfs-v0-2015' | 'unixfs-v1-2025'

const shardBytes = 262_144

export const importProfiles: Readonly<Record<ImportProfileName, ImportProfile>> = {
  'unixfs-v0-2015': {
    cidVersion: 0,
    rawLeaves: false,
    chunkBytes: 262_144,
    maxFileLinks: 174,
    sharding: { linksMax: 0, bytes: shardBytes, estimate: 'links', fanout: 256 },
  },
  'unixfs-v1-2025': {
    cidVersion: 1,
    rawLeaves: true,
    chunkBytes: 1_048_576,
    maxFileLinks: 1024,
    sharding: { linksMax: 0, bytes: shardBytes, estimate: 'block', fanout: 256 },
  },
}

export function isImportProfileName(value: unknown): value is ImportProfileName {
  return typeof value === 'string' && Object.hasOwn(importProfiles, value)
}
