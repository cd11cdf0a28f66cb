// Constants of beacon chains: slots, sync committee periods, forks, and the positions of the light client's data in the state
// and body trees of each fork. Sources: consensus-specs, light-client/sync-protocol.md of each fork, configs/; the
// networks' own configurations (eth-clients).
// Tested by src/beacon/spec.test.ts
import { fromHex } from '../base/hex.ts'

/** Forks whose headers contain an execution block. Forks before Capella do not, and are older than any checkpoint. */
export type ForkName = 'capella' | 'deneb' | 'electra' | 'fulu' | 'gloas'

/** Every fork, oldest first. */
export const forkNames: readonly ForkName[] = ['capella', 'deneb', 'electra', 'fulu', 'gloas']

export type BeaconFork = {
  readonly name: ForkName
  readonly epoch: number
  /** 4 bytes. */
  readonly version: Uint8Array
}

export type BeaconSpec = {
  /** Seconds since 1970 UTC. */
  readonly genesisTime: number
  /** 32 bytes. Signatures of another chain do not verify. */
  readonly genesisValidatorsRoot: Uint8Array
  readonly secondsPerSlot: number
  readonly slotsPerEpoch: number
  readonly epochsPerPeriod: number
  /** Members of a sync committee, a power of two. */
  readonly committeeSize: number
  /** Oldest first. */
  readonly forks: readonly BeaconFork[]
}

/** Generalized indexes of a fork, in the state tree and in the tree of the block body. */
export type ForkLayout = {
  readonly currentCommittee: number
  readonly nextCommittee: number
  readonly finalizedRoot: number
  /** Of the execution payload header in the body; null: the fork's headers have only the block hash. */
  readonly execution: number | null
  /** Leaves of the execution payload header. */
  readonly executionLeaves: number
  /** Of the execution block hash in the body: headers in Gloas form prove only this hash. */
  readonly blockHash: number
}

const beforeElectra = { currentCommittee: 54, nextCommittee: 55, finalizedRoot: 105 }
const electra: ForkLayout = {
  currentCommittee: 86,
  nextCommittee: 87,
  finalizedRoot: 169,
  execution: 25,
  executionLeaves: 17,
  blockHash: 812,
}

export const layouts: Readonly<Record<ForkName, ForkLayout>> = {
  capella: { ...beforeElectra, execution: 25, executionLeaves: 15, blockHash: 412 },
  deneb: { ...beforeElectra, execution: 25, executionLeaves: 17, blockHash: 812 },
  electra,
  fulu: electra,
  // EIP-7688 and EIP-7732; no network has scheduled it.
  gloas: {
    currentCommittee: 2945,
    nextCommittee: 2946,
    finalizedRoot: 735,
    execution: null,
    executionLeaves: 0,
    blockHash: 2856,
  },
}

/** Mainnet preset. */
const mainnetPreset = {
  secondsPerSlot: 12,
  slotsPerEpoch: 32,
  epochsPerPeriod: 256,
  committeeSize: 512,
}

const known: ReadonlyMap<bigint, BeaconSpec> = new Map([
  [
    1n,
    {
      ...mainnetPreset,
      genesisTime: 1_606_824_023,
      genesisValidatorsRoot: fromHex(
        '0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95',
      ),
      forks: [
        fork('capella', 194_048, '0x03000000'),
        fork('deneb', 269_568, '0x04000000'),
        fork('electra', 364_032, '0x05000000'),
        fork('fulu', 411_392, '0x06000000'),
      ],
    },
  ],
  [
    11_155_111n,
    {
      ...mainnetPreset,
      genesisTime: 1_655_733_600,
      genesisValidatorsRoot: fromHex(
        '0xd8ea171f3c94aea21ebc42a1ed61052acf3f9209c00e4efbaaddac09ed9b8078',
      ),
      forks: [
        fork('capella', 56_832, '0x90000072'),
        fork('deneb', 132_608, '0x90000073'),
        fork('electra', 222_464, '0x90000074'),
        fork('fulu', 272_640, '0x90000075'),
      ],
    },
  ],
  [
    560_048n,
    {
      ...mainnetPreset,
      genesisTime: 1_742_213_400,
      genesisValidatorsRoot: fromHex(
        '0x212f13fc4df078b6cb7db228f1c8307566dcecf900867401a92023d7ba99cb5f',
      ),
      forks: [
        fork('capella', 0, '0x40000910'),
        fork('deneb', 0, '0x50000910'),
        fork('electra', 2048, '0x60000910'),
        fork('fulu', 50_688, '0x70000910'),
      ],
    },
  ],
])

function fork(name: ForkName, epoch: number, version: string): BeaconFork {
  return { name, epoch, version: fromHex(version) }
}

/** Null for an unknown chain ID. */
export function findBeaconSpec(chainId: bigint): BeaconSpec | null {
  return known.get(chainId) ?? null
}

/** The fork in force at a slot; null before Capella. */
export function forkAt(spec: BeaconSpec, slot: number): BeaconFork | null {
  const epoch = Math.floor(slot / spec.slotsPerEpoch)
  return spec.forks.findLast((one) => epoch >= one.epoch) ?? null
}

/** The sync committee period of a slot. */
export function periodAt({ slotsPerEpoch, epochsPerPeriod }: BeaconSpec, slot: number): number {
  return Math.floor(slot / (slotsPerEpoch * epochsPerPeriod))
}

/** Start of a slot, milliseconds since 1970 UTC. */
export function timeOfSlot({ genesisTime, secondsPerSlot }: BeaconSpec, slot: number): number {
  return (genesisTime + slot * secondsPerSlot) * 1000
}

/** The slot at a time in milliseconds since 1970 UTC; 0 before genesis. */
export function slotAt({ genesisTime, secondsPerSlot }: BeaconSpec, ms: number): number {
  return Math.max(0, Math.floor((ms / 1000 - genesisTime) / secondsPerSlot))
}

/** Number of signatures that a header needs: two thirds of the committee (342 of 512). */
export function signersNeeded({ committeeSize }: BeaconSpec): number {
  return Math.ceil((committeeSize * 2) / 3)
}
