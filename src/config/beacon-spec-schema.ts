// The members of `heads.beaconSpec` in the settings file: constants of a beacon chain that is not built in.
// Tested by src/config/networks.test.ts
import { z } from 'zod'

const beaconForksMax = 16

/** A block root or another hash of 32 bytes. */
export const rootSchema = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected 0x and 64 hex digits')

export const beaconSpecSchema = z.strictObject({
  genesisTime: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
    description:
      'Time of slot 0, in seconds since 1970 (`genesis_time` of `/eth/v1/beacon/genesis`).',
    example: 'genesisTime: 1606824023',
  }),
  genesisValidatorsRoot: rootSchema.meta({
    description: '`genesis_validators_root` of `/eth/v1/beacon/genesis`.',
    example: `genesisValidatorsRoot: "0x${'00'.repeat(32)}"`,
  }),
  secondsPerSlot: z.int().min(1).max(3600).default(12).meta({
    description: 'Length of a slot (`SECONDS_PER_SLOT`).',
    example: 'secondsPerSlot: 12',
  }),
  slotsPerEpoch: z.int().min(1).max(1024).default(32).meta({
    description: 'Slots of an epoch (`SLOTS_PER_EPOCH`).',
    example: 'slotsPerEpoch: 32',
  }),
  epochsPerPeriod: z.int().min(1).max(65_536).default(256).meta({
    description: 'Epochs of a sync committee (`EPOCHS_PER_SYNC_COMMITTEE_PERIOD`).',
    example: 'epochsPerPeriod: 256',
  }),
  committeeSize: z
    .union([z.literal(32), z.literal(512)])
    .default(512)
    .meta({
      description: 'Members of a sync committee (`SYNC_COMMITTEE_SIZE`): 32 or 512.',
      example: 'committeeSize: 512',
    }),
  forks: z
    .array(
      z.strictObject({
        name: z.enum(['capella', 'deneb', 'electra', 'fulu', 'gloas']).meta({
          description: 'Name of the fork.',
          example: 'name: electra',
        }),
        epoch: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
          description: 'First epoch of the fork (`ELECTRA_FORK_EPOCH`).',
          example: 'epoch: 364032',
        }),
        version: z
          .string()
          .regex(/^0x[0-9a-fA-F]{8}$/, 'expected 0x and 8 hex digits')
          .meta({
            description: 'Version of the fork (`ELECTRA_FORK_VERSION`).',
            example: 'version: "0x05000000"',
          }),
      }),
    )
    .min(1, 'expected at least one fork')
    .max(beaconForksMax)
    .meta({
      description: 'Forks of the chain from Capella on.',
      example: 'forks: [{name: electra, epoch: 0, version: "0x05000000"}]',
    }),
})
