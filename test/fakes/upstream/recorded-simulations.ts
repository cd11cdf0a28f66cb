// Simulations that go-ethereum answered on the chain of the vectors at block 54 (ethereum/execution-apis,
// tests/eth_simulateV1, CC0-1.0), reduced to block hashes, which cover every root of the header.

export type RecordedSimulation = {
  readonly name: string
  readonly blockStateCalls: readonly unknown[]
  /** By block: its hash, and for each call its return data, its gas and its peak gas. */
  readonly blocks: readonly {
    readonly hash: string
    readonly calls: readonly (readonly [string, string, string])[]
  }[]
}

const c0 = `0xc0${'0'.repeat(38)}`
const c1 = `0xc1${'0'.repeat(38)}`
const c2 = `0xc2${'0'.repeat(38)}`
const rich = { balance: '0x1e8480' }
const returns42 = { code: '0x602a60005260206000f3' }
const word42 = `0x${'2a'.padStart(64, '0')}`
const transfer = ['0x', '0x5208', '0x5208'] as const
const call42 = [word42, '0x521a', '0x521a'] as const
const delegation = ['0x', '0x8fc0', '0xb3b0'] as const
const chainId = '0xc72dd9d5e883e'

const first = '0x1f4924b14f34e24159387c0a4cdbaa32f3ddb0cf'
const delegatesFirst = {
  from: c0,
  to: c0,
  authorizationList: [
    {
      chainId,
      address: c1,
      nonce: '0x0',
      yParity: '0x1',
      r: '0x688980e5aade10fb4ae34dd784899d94cc020332a5f0819005f4b09da6e5a2b0',
      s: '0x713c724d10920a924c24f9ed682155da66b88cfa8eda30ecbfa3d05efebb3aae',
    },
  ],
}
const second = '0x3c99b48acd2a442808922929a1441f31245e3a45'
const delegatesSecond = {
  from: c0,
  to: c0,
  authorizationList: [
    {
      chainId,
      address: c1,
      nonce: '0x0',
      yParity: '0x0',
      r: '0xe46a57110dd3e4f9d556fbcd95f00f29ec91ce3e656a796f46b665d6df4aa657',
      s: '0x589ea4f67adc16d5de188b7f5e2b697c017325ada80332ecfd24ead54d49fc3f',
    },
  ],
}
const contract = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'
const delegated = '0xeda8645ba6948855e3b3cd596bbb07596d59c603'
const readsSlot0 = { code: '0x60005460005260206000f3' }
const emptied = { nonce: '0x0', code: '0x', balance: '0x0' }

const callWithBlob = {
  from: c0,
  to: c2,
  maxFeePerGas: '0x10',
  maxFeePerBlobGas: '0xa',
  blobVersionedHashes: ['0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014'],
}

export const recordedSimulations: readonly RecordedSimulation[] = [
  {
    name: 'an override of the state clears what was stored before',
    blockStateCalls: [
      {
        stateOverrides: {
          '0x8bebc8ba651aee624937e7d897853ac30c95a067': {
            code: '0x60015460005260035460205260406000f3',
            state: {
              [`0x${'3'.padStart(64, '0')}`]: word42,
            },
          },
        },
        calls: [{ from: c0, to: '0x8bebc8ba651aee624937e7d897853ac30c95a067' }],
      },
    ],
    blocks: [
      {
        hash: '0x0dde0d40fcf950cbd94690ba1e2b6d2aa31822871ab4f6c4db6326ca180ac603',
        calls: [[`0x${'2a'.padStart(128, '0')}`, '0x628e', '0x628e']],
      },
    ],
  },
  {
    name: 'a contract creation replaces code that was overridden',
    blockStateCalls: [
      {
        stateOverrides: {
          [c0]: rich,
          '0xf47be3b1978c24bb4b498620b247b2622a2cb056': { code: '0x' },
        },
        calls: [
          { from: c0, input: '0x69602a60005260206000f3600052600a6016f3' },
          { from: c0, to: '0xf47be3b1978c24bb4b498620b247b2622a2cb056' },
        ],
      },
    ],
    blocks: [
      {
        hash: '0x01a058e5748fc385c8e5af58bd6194a54a353da08195a2d962bdf4dc2de39815',
        calls: [['0x602a60005260206000f3', '0xd7f8', '0xd7f8'], call42],
      },
    ],
  },
  {
    name: 'a delegation replaces code that was overridden',
    blockStateCalls: [
      {
        stateOverrides: { [first]: { code: '0x' }, [c0]: rich, [c1]: returns42 },
        calls: [{ from: c0, to: first }, delegatesFirst, { from: c0, to: first }],
      },
    ],
    blocks: [
      {
        hash: '0xd288f83e18f23591a682a44b805088b0b70ddd1ea5eeb4e2da18e532d30a41ea',
        calls: [transfer, delegation, call42],
      },
    ],
  },
  {
    name: 'a delegation replaces one that was put there',
    blockStateCalls: [
      {
        stateOverrides: {
          [first]: { code: `0xef0100${c2.slice(2)}` },
          [c0]: rich,
          [c1]: returns42,
          [c2]: { code: '0x600160005260206000f3' },
        },
        calls: [{ from: c0, to: first }, delegatesFirst, { from: c0, to: first }],
      },
    ],
    blocks: [
      {
        hash: '0xc7e1964c4bc4c1bdae925de50c0b0309570ecb24177dd381f817589f77cdf0be',
        calls: [[`0x${'1'.padStart(64, '0')}`, '0x521a', '0x521a'], delegation, call42],
      },
    ],
  },
  {
    name: 'an account that an override left empty is there',
    blockStateCalls: [
      {
        stateOverrides: { [second]: { code: '0x' }, [c0]: rich, [c1]: returns42 },
        calls: [delegatesSecond, { from: c0, to: second }],
      },
    ],
    blocks: [
      {
        hash: '0xd8cf0b9c05b2692a26c9053e01bb9cf64ff2bc0340f51674b57a8bddd12c76a0',
        calls: [delegation, call42],
      },
    ],
  },
  {
    name: 'an account that an override left empty is there in the next block too',
    blockStateCalls: [
      {
        stateOverrides: { [second]: { code: '0x' }, [c0]: rich, [c1]: returns42 },
        calls: [{ from: c0, to: c1 }],
      },
      {
        stateOverrides: { [second]: { balance: '0x0' } },
        calls: [delegatesSecond, { from: c0, to: second }],
      },
    ],
    blocks: [
      {
        hash: '0x2ee2fa17c18fc5671b189bb4b1fa8076f91a11e254f49f05a53ebccee8d4899c',
        calls: [call42],
      },
      {
        hash: '0x772be31f7bb3a08da92f0843d8b0660b722bbeb8c84ccb7d5c77a5476d8dc9c4',
        calls: [delegation, call42],
      },
    ],
  },
  {
    name: 'an emptied contract retains its storage',
    blockStateCalls: [
      { stateOverrides: { [contract]: emptied, [c0]: rich }, calls: [{ from: c0, to: c0 }] },
      { stateOverrides: { [contract]: readsSlot0 }, calls: [{ from: c0, to: contract }] },
    ],
    blocks: [
      {
        hash: '0xb2e403726a842d87cdb6544d1422836cf50c3bc831146421567469bceb66d736',
        calls: [transfer],
      },
      {
        hash: '0xac29d6cdc3cdba99b4796a59e3807108b5b6f9e88acc2c6098978f4146d309f4',
        calls: [[`0x${'38'.padStart(64, '0')}`, '0x5a4e', '0x5a4e']],
      },
    ],
  },
  {
    name: 'an emptied delegated account retains its storage',
    blockStateCalls: [
      { stateOverrides: { [c0]: rich, [delegated]: emptied }, calls: [{ from: c0, to: c0 }] },
      { stateOverrides: { [delegated]: readsSlot0 }, calls: [{ from: c0, to: delegated }] },
    ],
    blocks: [
      {
        hash: '0xc1eab9b4373f958b15711ce6f0083692cde7c6a1ff3c38f656915e66429b8409',
        calls: [transfer],
      },
      {
        hash: '0xe713e28972c5c222035c97c7e49927336e3d3e803f906d563059115769fb6548',
        calls: [[`0x696e766f6b6564${'0'.repeat(50)}`, '0x5a4e', '0x5a4e']],
      },
    ],
  },
  {
    name: 'code at the address of a precompiled contract runs in its place',
    blockStateCalls: [
      {
        stateOverrides: { '0x0000000000000000000000000000000000000004': returns42 },
        calls: [{ from: c0, to: '0x0000000000000000000000000000000000000004', input: '0x1234' }],
      },
    ],
    blocks: [
      {
        hash: '0x6840329950859fa366eacfd7b36eb3c67e56ebf284e9629db084d465da1de2a0',
        calls: [[word42, '0x5258', '0x5258']],
      },
    ],
  },
]

/** Recorded on other chains. The values of each block are the same on any chain. */
export const recordedRoots: readonly {
  readonly name: string
  readonly simulation: unknown
  readonly blocks: readonly Readonly<Record<string, unknown>>[]
}[] = [
  {
    name: 'a contract that destroys itself transfers what it has',
    simulation: {
      blockStateCalls: [
        {
          stateOverrides: {
            [c2]: {
              code: '0x6080604052348015600f57600080fd5b506004361060285760003560e01c806383197ef014602d575b600080fd5b60336035565b005b600073ffffffffffffffffffffffffffffffffffffffff16fffea26469706673582212208e566fde20a17fff9658b9b1db37e27876fd8934ccf9b2aa308cabd37698681f64736f6c63430008120033',
              balance: '0x1e8480',
            },
          },
          calls: [{ from: c0, to: c2, input: '0x83197ef0' }],
        },
      ],
      traceTransfers: true,
    },
    blocks: [
      {
        receiptsRoot: '0xe53cac8ba7c4639309c7959eb884c607e179624f118940ac558ff2cdbf4df3aa',
        transactions: ['0x601cd1b2f9161ebf790d5a555cdcf9620763b8d75469d8ca58432bcf6f1b6e23'],
        size: '0x296',
        calls: [{ gasUsed: '0x664a', logs: [{ data: `0x${'1e8480'.padStart(64, '0')}` }] }],
      },
    ],
  },
  {
    name: 'two contracts that move to one place leave the accounts as they were',
    simulation: {
      blockStateCalls: [
        {
          stateOverrides: {
            [`0x${'1'.padStart(40, '0')}`]: { movePrecompileToAddress: c2 },
            [`0x${'2'.padStart(40, '0')}`]: { movePrecompileToAddress: c2 },
          },
        },
      ],
    },
    blocks: [{ stateRoot: '0xddddff0fbba13142232781f4f52a5c69339b8ff774f5258cd022c85aaa4e4de8' }],
  },
  {
    name: 'blobs are paid for, and the base fee follows',
    simulation: {
      blockStateCalls: [
        {
          blockOverrides: { baseFeePerGas: '0xf', blobBaseFee: '0x0' },
          stateOverrides: {
            [c0]: { balance: '0x3b9aca00' },
            [c2]: {
              code: '0x6080604052348015600e575f80fd5b505f3660605f49600149600249604051602001602b93929190605d565b6040516020818303038152906040529050915050805190602001f35b5f819050919050565b6057816047565b82525050565b5f606082019050606e5f8301866050565b607960208301856050565b608460408301846050565b94935050505056fea26469706673582212206284471b14925acedc8cf50c596b6850cfda0372471ee8893750f3e61bf3778164736f6c634300081a0033',
            },
          },
          calls: [callWithBlob],
        },
        { blockOverrides: { blobBaseFee: '0x1' }, calls: [callWithBlob] },
      ],
      validation: true,
    },
    blocks: [
      {
        baseFeePerGas: '0xf',
        blobGasUsed: '0x20000',
        receiptsRoot: '0x61d638ad6837c75ea2c4a8e413d9c5a2c2bcf40979e6ba9293a113b6769d2fa6',
        transactions: ['0x6dd302137bafa6817cdd92b1157be1eb7b884b32e9bcab7f4084ee4c05a5dba3'],
      },
      {
        baseFeePerGas: '0xe',
        blobGasUsed: '0x20000',
        excessBlobGas: '0x0',
        receiptsRoot: '0x61d638ad6837c75ea2c4a8e413d9c5a2c2bcf40979e6ba9293a113b6769d2fa6',
        transactions: ['0x08fae926ea323fb66e5cd130bc2d656f5cc51fcd8a13899c98c6037b7dad36af'],
      },
    ],
  },
  {
    name: 'calls that pay take the gas that those before have left',
    simulation: {
      blockStateCalls: [
        {
          blockOverrides: { baseFeePerGas: '0xf' },
          stateOverrides: { [c0]: { balance: '0xe8d4a51000' } },
          calls: [
            { from: c0, to: c1, maxFeePerGas: '0x10', value: '0x2540be400' },
            { from: c1, to: c2, maxFeePerGas: '0x10', value: '0x3e8' },
          ],
        },
      ],
      validation: true,
    },
    blocks: [
      {
        gasUsed: '0xa410',
        receiptsRoot: '0x75308898d571eafb5cd8cde8278bf5b3d13c5f6ec074926de3bb895b519264e1',
        transactionsRoot: '0x9e80508f974bbf713b286fe5a4d0fae2f54f17e33b742176cc4c5bb7e0942762',
        size: '0x2c8',
      },
    ],
  },
  {
    name: 'a nonce goes round',
    simulation: {
      blockStateCalls: [
        {
          stateOverrides: { [c0]: { nonce: '0xffffffffffffffff' } },
          calls: [
            { from: c0, to: c1 },
            { from: c0, to: c1 },
          ],
        },
      ],
    },
    blocks: [
      {
        receiptsRoot: '0x75308898d571eafb5cd8cde8278bf5b3d13c5f6ec074926de3bb895b519264e1',
        transactions: [
          '0x477a61e1243f3b2c6a206477ecfca9f57a099a152a08fda53d8cee470d6c5fb8',
          '0xd43781826f6cf87596228fb58a268cf2147d652bf2dc63e0e2df763efa03f709',
        ],
      },
    ],
  },
]
