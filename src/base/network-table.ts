// The table of known networks: only data. Sources: go-ethereum params/config.go and EIP-7607 (Ethereum), merge blocks of
// @ethereumjs/common; ethereum-optimism/superchain-registry superchain/configs at 8336d2ae (OP Stack; Base at 0d9aefc4^, since
// then base/base crates/common/chains/src/config.rs); OffchainLabs/nitro cmd/chaininfo/arbitrum_chain_info.json; bor
// params/config.go and PIP-74 (Polygon). Networks without a row are supported as well: their lists are proved in the same way.
// long: one row for each network.
// Tested by src/base/known-networks.test.ts
import type { BlobFractions, ForkSchedule, KnownNetwork } from './known-network.ts'

const cancun = 3_338_477n
const prague = 5_007_716n
const bpo1 = 8_346_193n
const bpo2 = 11_684_671n

/** Null: the fork is not scheduled on that network. */
type ForkTimes = Readonly<Record<string, bigint | null>>

/** Fork times in seconds, in schedule order. */
function timed(times: ForkTimes): ForkSchedule {
  return Object.entries(times)
    .flatMap(([name, time]) => (time === null ? [] : [{ name, time }]))
    .toSorted((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0))
}

function numbered(blocks: Readonly<Record<string, bigint>>): ForkSchedule {
  return Object.entries(blocks).map(([name, block]) => ({ name, block }))
}

/** For networks with London active from the first block on. */
const fromTheFirst: ForkSchedule = numbered({
  homestead: 0n,
  tangerineWhistle: 0n,
  eip155: 0n,
  spuriousDragon: 0n,
  byzantium: 0n,
  constantinople: 0n,
  petersburg: 0n,
  istanbul: 0n,
  muirGlacier: 0n,
  berlin: 0n,
  london: 0n,
})

type EthereumRow = Pick<KnownNetwork, 'name' | 'aliases' | 'title' | 'chainId' | 'genesisHash'> & {
  readonly blocks: ForkSchedule
  readonly times: ForkTimes
}

function ethereum({ blocks, times, ...row }: EthereumRow): KnownNetwork {
  const fractions: BlobFractions = [
    { from: times['bpo2'] ?? 0n, fraction: bpo2 },
    { from: times['bpo1'] ?? 0n, fraction: bpo1 },
    { from: times['prague'] ?? 0n, fraction: prague },
    { from: times['cancun'] ?? 0n, fraction: cancun },
  ]
  return {
    ...row,
    blockSeconds: 12,
    family: 'ethereum',
    listsFrom: 0n,
    rules: 'ethereum',
    finality: 'beacon',
    forks: [...blocks, ...timed(times)],
    blobFractions: fractions,
  }
}

type OpRow = Pick<
  KnownNetwork,
  'name' | 'aliases' | 'title' | 'chainId' | 'genesisHash' | 'blockSeconds' | 'rulesUntil'
> & { readonly listsFrom?: bigint; readonly times: ForkTimes }

/** In all of them Regolith is active from the first block (OP Mainnet: from the first block of Bedrock). */
function opStack({ times, listsFrom = 0n, ...row }: OpRow): KnownNetwork {
  return {
    ...row,
    family: 'op',
    listsFrom,
    rules: 'op',
    finality: 'upstream',
    forks: [
      { name: 'bedrock', block: listsFrom },
      { name: 'regolith', block: listsFrom },
      ...timed(times),
    ],
    blobFractions: [],
  }
}

type ListsRow = Omit<KnownNetwork, 'rules' | 'forks' | 'blobFractions' | 'finality'>

/** A network with known lists and an unknown EVM. */
function listsOnly(row: ListsRow): KnownNetwork {
  return { ...row, rules: 'none', finality: 'upstream', forks: [], blobFractions: [] }
}

const superchain: ForkTimes = {
  canyon: 1_704_992_401n,
  delta: 1_708_560_000n,
  ecotone: 1_710_374_401n,
  fjord: 1_720_627_201n,
  granite: 1_726_070_401n,
  holocene: 1_736_445_601n,
  isthmus: 1_746_806_401n,
  jovian: 1_764_691_201n,
  karst: 1_783_526_401n,
}

const superchainSepolia: ForkTimes = {
  canyon: 1_699_981_200n,
  delta: 1_703_203_200n,
  ecotone: 1_708_534_800n,
  fjord: 1_716_998_400n,
  granite: 1_723_478_400n,
  holocene: 1_732_633_200n,
  pectraBlobSchedule: 1_742_486_400n,
  isthmus: 1_744_905_600n,
  jovian: 1_763_568_001n,
  karst: 1_781_712_001n,
}

export const networkTable: readonly KnownNetwork[] = [
  ethereum({
    name: 'mainnet',
    aliases: ['ethereum'],
    title: 'Ethereum',
    chainId: 1n,
    genesisHash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
    blocks: numbered({
      homestead: 1_150_000n,
      dao: 1_920_000n,
      tangerineWhistle: 2_463_000n,
      eip155: 2_675_000n,
      spuriousDragon: 2_675_000n,
      byzantium: 4_370_000n,
      constantinople: 7_280_000n,
      petersburg: 7_280_000n,
      istanbul: 9_069_000n,
      muirGlacier: 9_200_000n,
      berlin: 12_244_000n,
      london: 12_965_000n,
      arrowGlacier: 13_773_000n,
      grayGlacier: 15_050_000n,
      paris: 15_537_394n,
    }),
    times: {
      shanghai: 1_681_338_455n,
      cancun: 1_710_338_135n,
      prague: 1_746_612_311n,
      osaka: 1_764_798_551n,
      bpo1: 1_765_290_071n,
      bpo2: 1_767_747_671n,
    },
  }),
  ethereum({
    name: 'sepolia',
    aliases: [],
    title: 'Sepolia',
    chainId: 11_155_111n,
    genesisHash: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
    blocks: [...fromTheFirst, { name: 'paris', block: 1_450_409n }],
    times: {
      shanghai: 1_677_557_088n,
      cancun: 1_706_655_072n,
      prague: 1_741_159_776n,
      osaka: 1_760_427_360n,
      bpo1: 1_761_017_184n,
      bpo2: 1_761_607_008n,
    },
  }),
  ethereum({
    name: 'hoodi',
    aliases: [],
    title: 'Hoodi',
    chainId: 560_048n,
    genesisHash: '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
    blocks: [...fromTheFirst, { name: 'paris', block: 0n }],
    times: {
      shanghai: 0n,
      cancun: 0n,
      prague: 1_742_999_832n,
      osaka: 1_761_677_592n,
      bpo1: 1_762_365_720n,
      bpo2: 1_762_955_544n,
    },
  }),
  opStack({
    name: 'optimism-mainnet',
    aliases: ['optimism', 'op-mainnet'],
    title: 'OP Mainnet',
    chainId: 10n,
    genesisHash: '0x7ca38a1916c42007829c55e69d3e9a73265554b586a499015373241b8a3fa48b',
    blockSeconds: 2,
    listsFrom: 105_235_063n,
    times: { ...superchain },
  }),
  opStack({
    name: 'base-mainnet',
    aliases: ['base'],
    title: 'Base',
    chainId: 8_453n,
    genesisHash: '0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd',
    blockSeconds: 2,
    rulesUntil: 1_779_991_200n,
    times: { ...superchain, azul: 1_779_991_200n, beryl: 1_782_410_400n, karst: null },
  }),
  opStack({
    name: 'unichain-mainnet',
    aliases: ['unichain'],
    title: 'Unichain',
    chainId: 130n,
    genesisHash: '0x3425162ddf41a0a1f0106d67b71828c9a9577e6ddeb94e4f33d2cde1fdc3befe',
    blockSeconds: 1,
    times: { ...superchain, canyon: 0n, delta: 0n, ecotone: 0n, fjord: 0n, granite: 0n },
  }),
  opStack({
    name: 'ink-mainnet',
    aliases: ['ink'],
    title: 'Ink',
    chainId: 57_073n,
    genesisHash: '0x23a2658170ba70d014ba0d0d2709f8fbfe2fa660cd868c5f282f991eecbe38ee',
    blockSeconds: 1,
    times: {
      ...superchain,
      canyon: 0n,
      delta: 0n,
      ecotone: 0n,
      fjord: 0n,
      granite: 0n,
      holocene: 1_742_396_400n,
    },
  }),
  opStack({
    name: 'zora-mainnet',
    aliases: ['zora'],
    title: 'Zora',
    chainId: 7_777_777n,
    genesisHash: '0x47555a45a1af8d4728ca337a1e48375a83919b1ea16591e070a07388b7364e29',
    blockSeconds: 2,
    times: { ...superchain },
  }),
  opStack({
    name: 'worldchain-mainnet',
    aliases: ['worldchain'],
    title: 'World Chain',
    chainId: 480n,
    genesisHash: '0x70d316d2e0973b62332ba2e9768dd7854298d7ffe77f0409ffdb8d859f2d3fa3',
    blockSeconds: 2,
    times: {
      ...superchain,
      canyon: 0n,
      delta: 0n,
      ecotone: 0n,
      fjord: 1_721_826_000n,
      granite: 1_727_780_400n,
      holocene: 1_738_238_400n,
      isthmus: 1_764_072_000n,
      jovian: 1_777_593_600n,
      karst: null,
    },
  }),
  opStack({
    name: 'soneium-mainnet',
    aliases: ['soneium'],
    title: 'Soneium',
    chainId: 1_868n,
    genesisHash: '0x295d22d269634c7d0055b33b887519362d0b31899e97109d1789a8a168de1b21',
    blockSeconds: 2,
    times: {
      ...superchain,
      canyon: 0n,
      delta: 0n,
      ecotone: 0n,
      fjord: 0n,
      granite: 0n,
      holocene: 1_738_573_200n,
    },
  }),
  opStack({
    name: 'mode-mainnet',
    aliases: ['mode'],
    title: 'Mode',
    chainId: 34_443n,
    genesisHash: '0xb0f682e12fc555fd5ce8fce51a59a67d66a5b46be28611a168260a549dac8a9b',
    blockSeconds: 2,
    times: { ...superchain },
  }),
  opStack({
    name: 'optimism-sepolia',
    aliases: ['op-sepolia'],
    title: 'OP Sepolia',
    chainId: 11_155_420n,
    genesisHash: '0x102de6ffb001480cc9b8b548fd05c34cd4f46ae4aa91759393db90ea0409887d',
    blockSeconds: 2,
    times: { ...superchainSepolia },
  }),
  opStack({
    name: 'base-sepolia',
    aliases: [],
    title: 'Base Sepolia',
    chainId: 84_532n,
    genesisHash: '0x0dcc9e089e30b90ddfc55be9a37dd15bc551aeee999d2e2b51414c54eaf934e4',
    blockSeconds: 2,
    rulesUntil: 1_776_708_000n,
    times: { ...superchainSepolia, azul: 1_776_708_000n, beryl: 1_781_805_600n, karst: null },
  }),
  opStack({
    name: 'unichain-sepolia',
    aliases: [],
    title: 'Unichain Sepolia',
    chainId: 1_301n,
    genesisHash: '0xb7fe0bc9f98ca03294ca0094ff9374cc3e64130b6ec85850d6e260191f48bfe7',
    blockSeconds: 1,
    times: {
      ...superchainSepolia,
      canyon: 0n,
      delta: 0n,
      ecotone: 0n,
      fjord: 0n,
      granite: 0n,
      holocene: 1_734_559_200n,
    },
  }),
  opStack({
    name: 'ink-sepolia',
    aliases: [],
    title: 'Ink Sepolia',
    chainId: 763_373n,
    genesisHash: '0xe5fd5cf0be56af58ad5751b401410d6b7a09d830fa459789746a3d0dd1c79834',
    blockSeconds: 1,
    times: { ...superchainSepolia },
  }),
  opStack({
    name: 'worldchain-sepolia',
    aliases: [],
    title: 'World Chain Sepolia',
    chainId: 4_801n,
    genesisHash: '0xf1deb67ee953f94d8545d2647918687fa8ba1f30fa6103771f11b7c483984070',
    blockSeconds: 2,
    times: {
      ...superchainSepolia,
      canyon: 0n,
      delta: 0n,
      ecotone: 0n,
      fjord: 1_721_739_600n,
      granite: 1_726_570_800n,
      holocene: 1_737_633_600n,
      isthmus: 1_761_825_600n,
      jovian: 1_777_161_600n,
      karst: null,
    },
  }),
  listsOnly({
    name: 'arbitrum-mainnet',
    aliases: ['arbitrum', 'arbitrum-one'],
    title: 'Arbitrum One',
    chainId: 42_161n,
    genesisHash: '0x7ee576b35482195fc49205cec9af72ce14f003b9ae69f6ba0faef4514be8b442',
    blockSeconds: 0.25,
    family: 'nitro',
    // The first block of Nitro.
    listsFrom: 22_207_818n,
  }),
  listsOnly({
    name: 'arbitrum-nova',
    aliases: ['nova'],
    title: 'Arbitrum Nova',
    chainId: 42_170n,
    genesisHash: null,
    blockSeconds: 0.25,
    family: 'nitro',
    listsFrom: 0n,
  }),
  listsOnly({
    name: 'arbitrum-sepolia',
    aliases: [],
    title: 'Arbitrum Sepolia',
    chainId: 421_614n,
    genesisHash: null,
    blockSeconds: 0.25,
    family: 'nitro',
    listsFrom: 0n,
  }),
  listsOnly({
    name: 'polygon-mainnet',
    aliases: ['polygon'],
    title: 'Polygon PoS',
    chainId: 137n,
    genesisHash: '0xa9c28ce2141b56c474f1dc504bee9b01eb1bd7d1a507580d5519d4437a97de1b',
    blockSeconds: 1,
    family: 'polygon',
    // Madhugiri.
    listsFrom: 80_084_800n,
  }),
  listsOnly({
    name: 'polygon-amoy',
    aliases: ['amoy'],
    title: 'Polygon Amoy',
    chainId: 80_002n,
    genesisHash: '0x7202b2b53c5a0836e773e319d18922cc756dd67432f9a1f65352b61f4406c697',
    blockSeconds: 1,
    family: 'polygon',
    listsFrom: 28_899_616n,
  }),
]
