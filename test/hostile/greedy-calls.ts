// Calls that cost a server far more than they cost to send: the calls of a hostile key. Each is the params of one `eth_call` at the
// latest block.

/** One `eth_call`: its transaction object, and its state override if it has one. */
export type GreedyCall = {
  readonly name: string
  readonly params: readonly unknown[]
  /** The call consists of one step that takes too long: it is refused before it runs. */
  readonly isRefused: boolean
}

const gas = '0x2faf080'
const word = (value: bigint | number) => value.toString(16).padStart(64, '0')
const precompile = (address: string) => `0x${address.padStart(40, '0')}`
const call = (to: string, input: string) => [{ to, input, gas }, 'latest']

/** The generators of EIP-197. */
const bn254Pair = [
  1n,
  2n,
  0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n,
  0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn,
  0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn,
  0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan,
]
  .map(word)
  .join('')

/** The generators of BLS12-381 in the format of EIP-2537: each number in 64 bytes. */
const blsG1 = [
  '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1',
]
  .map((hex) => hex.padStart(128, '0'))
  .join('')
const blsG2 = [
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  '0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
]
  .map((hex) => hex.padStart(128, '0'))
  .join('')

/** The commitment to the zero polynomial, and the proof of its value 0 at any point (EIP-4844). */
const kzgInput = [
  '010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014',
  word(5),
  word(0),
  'c0'.padEnd(96, '0'),
  'c0'.padEnd(96, '0'),
].join('')

/** A contract that calls BLAKE2f with `rounds` until its gas is used up. */
export function blakeOverride(rounds: number): readonly unknown[] {
  const contract = precompile('b1a4e')
  const code = [
    // mem[0..4] = rounds, mem[212] = 1: the last block.
    `63${rounds.toString(16).padStart(8, '0')}60e01b5f52`,
    '600160d453',
    // STATICCALL(gas, 9, 0, 213, 0, 64), and back to the JUMPDEST at 15.
    '5b60405f60d55f60095afa50600f56',
  ].join('')
  return [{ to: contract, gas }, 'latest', { [contract]: { code: `0x${code}` } }]
}

/** JUMPDEST PUSH0 JUMP. */
export const endlessJumps: GreedyCall = {
  name: 'jumps without an end',
  params: [{ data: '0x5b5f56', gas }, 'latest'],
  isRefused: false,
}

/** Repeats KECCAK256 of 4 MB. */
const endlessHashes: GreedyCall = {
  name: 'hashes of 4 MB without an end',
  params: [{ data: '0x5b623d09005f20505f56', gas }, 'latest'],
  isRefused: false,
}

/** A long sequence of 256-bit EXP, then a jump back to its start. */
const endlessPowers: GreedyCall = {
  name: 'powers without an end',
  params: [{ data: `0x5b${'5f195f190a50'.repeat(4000)}5f56`, gas }, 'latest'],
  isRefused: false,
}

export const greedyCalls: readonly GreedyCall[] = [
  { name: '40M rounds of BLAKE2f', params: blakeOverride(40_000_000), isRefused: true },
  {
    name: '1,200 pairs of bn254',
    params: call(precompile('8'), `0x${bn254Pair.repeat(1200)}`),
    isRefused: true,
  },
  {
    name: '600 pairs of BLS12-381',
    params: call(precompile('f'), `0x${(blsG1 + blsG2).repeat(600)}`),
    isRefused: true,
  },
  {
    name: 'a sum of 1,000 points of BLS12-381 G2',
    params: call(precompile('e'), `0x${(blsG2 + 'f'.repeat(64)).repeat(1000)}`),
    isRefused: true,
  },
  {
    name: 'point evaluations of EIP-4844 without an end',
    params: [
      {
        data: `0x60c060145f395b5f5f60c05f600a5afa50600656${kzgInput}`,
        gas,
      },
      'latest',
    ],
    isRefused: false,
  },
  endlessJumps,
  endlessHashes,
  endlessPowers,
]
