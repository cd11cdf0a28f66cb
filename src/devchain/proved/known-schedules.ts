// The fork schedules of Ethereum's public networks, in the form of a geth genesis file. Source: go-ethereum
// params/config.go.
// Tested by src/devchain/proved/fork-schedule.test.ts
import type { GenesisConfig } from '../genesis.ts'

/** `genesisTime`: seconds. */
export type KnownSchedule = { readonly genesisTime: bigint; readonly config: GenesisConfig }

const blobSchedule = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  osaka: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 },
  bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
}

/** Forks by number that a test network had from its first block on. */
const fromTheStart = {
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  petersburgBlock: 0,
  istanbulBlock: 0,
  berlinBlock: 0,
  londonBlock: 0,
}

const schedules: ReadonlyMap<bigint, KnownSchedule> = new Map([
  [
    1n,
    {
      genesisTime: 1_438_269_973n,
      config: {
        chainId: 1,
        homesteadBlock: 1_150_000,
        daoForkBlock: 1_920_000,
        daoForkSupport: true,
        eip150Block: 2_463_000,
        eip155Block: 2_675_000,
        eip158Block: 2_675_000,
        byzantiumBlock: 4_370_000,
        constantinopleBlock: 7_280_000,
        petersburgBlock: 7_280_000,
        istanbulBlock: 9_069_000,
        muirGlacierBlock: 9_200_000,
        berlinBlock: 12_244_000,
        londonBlock: 12_965_000,
        arrowGlacierBlock: 13_773_000,
        grayGlacierBlock: 15_050_000,
        shanghaiTime: 1_681_338_455,
        cancunTime: 1_710_338_135,
        pragueTime: 1_746_612_311,
        osakaTime: 1_764_798_551,
        bpo1Time: 1_765_290_071,
        bpo2Time: 1_767_747_671,
        blobSchedule,
      },
    },
  ],
  [
    11_155_111n,
    {
      genesisTime: 1_633_267_481n,
      config: {
        ...fromTheStart,
        chainId: 11_155_111,
        mergeNetsplitBlock: 1_735_371,
        shanghaiTime: 1_677_557_088,
        cancunTime: 1_706_655_072,
        pragueTime: 1_741_159_776,
        osakaTime: 1_760_427_360,
        bpo1Time: 1_761_017_184,
        bpo2Time: 1_761_607_008,
        blobSchedule,
      },
    },
  ],
  [
    560_048n,
    {
      genesisTime: 1_742_212_800n,
      config: {
        ...fromTheStart,
        chainId: 560_048,
        mergeNetsplitBlock: 0,
        shanghaiTime: 0,
        cancunTime: 0,
        pragueTime: 1_742_999_832,
        osakaTime: 1_761_677_592,
        bpo1Time: 1_762_365_720,
        bpo2Time: 1_762_955_544,
        blobSchedule,
      },
    },
  ],
])

/** Null for a chain ID that Cairn does not know. */
export function findKnownSchedule(chainId: bigint): KnownSchedule | null {
  return schedules.get(chainId) ?? null
}
