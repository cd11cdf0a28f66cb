// What tests know of the chain that `npm run record` makes: its forks by block, its contracts, its first sender.

/** keccak256("Counted(uint256,address)"). */
const topic = '0xc5cacf704baba5278faf9538c31064df714bebbd331915abfaf64a6b9e89d897'

export const recordedChain = {
  chainId: 7_353_201,
  blocks: 54,
  secondsPerBlock: 10,
  /** First block of each. Everything before is in force from the genesis on. */
  forks: { shanghai: 39, cancun: 42, prague: 45, osaka: 48, bpo1: 51, bpo2: 54 },
  /** Counts its calls in slot 0, stores the count at keccak256(count), logs it with the caller, and answers it. */
  emitter: '0xca1c0000000000000000000000000000000000e1',
  emitterCode: `0x600054600101806000558060005280602060002055337f${topic.slice(2)}60206000a260206000f3`,
  /** Reverts with 32 bytes. */
  reverter: '0xca1c0000000000000000000000000000000000e2',
  reverterCode: '0x602a60005260206000fd',
  topic,
  sender: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
} as const
