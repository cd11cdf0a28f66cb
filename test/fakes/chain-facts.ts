// Known facts of the chain that `npm run record` creates, and of the chain that tests use: forks by block, contracts, stored
// values.
import { missingVectors } from './chain-vectors.ts'

/** keccak256("Counted(uint256,address)"). */
const topic = '0xc5cacf704baba5278faf9538c31064df714bebbd331915abfaf64a6b9e89d897'

export const recordedChain = {
  chainId: 7_353_201,
  blocks: 54,
  secondsPerBlock: 10,
  /** First block of each fork. Earlier forks are active from the genesis block. */
  forks: { shanghai: 39, cancun: 42, prague: 45, osaka: 48, bpo1: 51, bpo2: 54 },
  /** Counts its calls in slot 0, stores the count at keccak256(count), logs it with the caller, and returns it. */
  emitter: '0xca1c0000000000000000000000000000000000e1',
  emitterCode: `0x600054600101806000558060005280602060002055337f${topic.slice(2)}60206000a260206000f3`,
  /** Reverts with 32 bytes. */
  reverter: '0xca1c0000000000000000000000000000000000e2',
  reverterCode: '0x602a60005260206000fd',
  /** Holds 1, 2 and 3 in slots 1, 2 and 3, and no code. */
  stored: '0xca1c0000000000000000000000000000000000e3',
  topic,
  sender: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  feeRecipient: `0x${'fe'.repeat(20)}`,
} as const

/** geth's answers about the recorded chain from which Cairn's differ, each with the difference. */
export const recordedDifferences: ReadonlyMap<string, string> = new Map([
  ['eth_estimateGas/counter', 'geth ends its search within 1.5 % of the gas that is needed'],
  ['eth_getProof/absent', 'geth gives zeros for the code and storage hashes of an absent account'],
])

/**
 * Facts that the chain of the vectors and the recorded one share: 54 blocks, and the forks from Shanghai on at the same numbers and
 * times.
 */
type ChainFacts = {
  readonly chainId: number
  /** A contract that counts its calls in slot 0, with the word there at the head, and other slots that contain words. */
  readonly emitter: string
  readonly emitted: string
  readonly emitterSlots: readonly [string, string, string]
  /** An account with 1, 2 and 3 in slots 1, 2 and 3. */
  readonly stored: string
  /** The sender of transactions in most blocks. */
  readonly sender: string
  readonly feeRecipient: string
  /** The result of eth_maxPriorityFeePerGas in wei. It ignores tips of 1 wei, which blocks of the vectors pay. */
  readonly suggestedTip: number
  /** The transcript that sends a transaction with the sender's next nonce, which no block contains. */
  readonly unmined: string
  /** Transcripts to which Cairn and the stub upstreams reply differently, each with the difference. */
  readonly differences: ReadonlyMap<string, string>
}

/** The facts of the chain of `chainFolder`. */
export const testChain: ChainFacts =
  missingVectors === false
    ? {
        chainId: 3_503_995_874_084_926,
        emitter: '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df',
        emitted: `0x${'38'.padStart(64, '0')}`,
        emitterSlots: [
          '0x95104e47e1982aba633477f377b1511396c3fe83600224bcb0c78949be705b33',
          '0x13bd2394f758553be374ffa4a9455cdf5e6ef3d905acd02746df2d12361e1ace',
          '0x4597fcc6524f9bf88114dffb3b731967d41c6cf14d1fc6321de23d7e61d78d1c',
        ],
        stored: '0x8bebc8ba651aee624937e7d897853ac30c95a067',
        sender: '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f',
        feeRecipient: '0x17e7eedce4ac02ef114a7ed9fe6e2f33feba1667',
        suggestedTip: 1_000_000,
        unmined: 'eth_sendRawTransaction/send-legacy-transaction',
        differences: new Map(),
      }
    : {
        chainId: recordedChain.chainId,
        emitter: recordedChain.emitter,
        emitted: `0x${'7a'.padStart(64, '0')}`,
        // keccak256 of the first three counts.
        emitterSlots: [
          '0xc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b',
          '0x8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b',
          '0x036b6384b5eca791c62761152d0c79bb0604c104a5fb6f4eb0703f3154bb3db0',
        ],
        stored: recordedChain.stored,
        sender: recordedChain.sender,
        feeRecipient: recordedChain.feeRecipient,
        suggestedTip: 1_000_000_000,
        unmined: 'eth_sendRawTransaction/pool-0',
        differences: recordedDifferences,
      }
