// Data of the benchmark's upstream node: one block whose state contains contracts with many slots, as deep as on mainnet: ten nodes
// to an account, six to a slot. Identical in every process.
import { createHash } from 'node:crypto'
import { fromHex, toHex, toQuantity } from '../../src/base/hex.ts'
import {
  emptyCodeHash,
  emptyTrieRoot,
  emptyUnclesHash,
} from '../../src/codec/ethereum/account-state.ts'
import { encodeAccountState } from '../../src/codec/ethereum/account-state.ts'
import { encodeHeader, type Header } from '../../src/codec/ethereum/header.ts'
import { keccak256 } from '../../src/codec/hash/keccak.ts'
import { encodeInteger, encodeRlp } from '../../src/codec/ethereum/rlp.ts'
import { slotsOf, type Slot } from './genesis.ts'
import { createPaddedTrie } from './padded-trie.ts'

export const upstreamChainId = 1338
export const accountNodes = 10
export const slotNodes = 6
/** One contract per measurement, so that none reads data that another has cached. */
export const contracts = {
  miss: '0x00000000000000000000000000000000000b0001',
  mix: '0x00000000000000000000000000000000000b0002',
  hot: '0x00000000000000000000000000000000000b0003',
  cached: '0x00000000000000000000000000000000000b0004',
}

/** The address that probes use. It is empty. */
const emptyAddress = `0x${'0'.repeat(40)}`

export type UpstreamWorld = {
  /** Slots of a contract; no two contracts share a value, else cached nodes of one would serve the other. */
  slots(contract: string): readonly Slot[]
  readonly blockHash: string
  readonly rawHeader: string
  /** As in a reply to eth_getBlockByNumber. */
  readonly block: Readonly<Record<string, unknown>>
  /** JSON text of the eth_getProof result. */
  proof(contract: string, slots: readonly string[]): string
  /** The proof nodes of one slot: of the account, then of the slot. */
  nodes(contract: string, slot: string): readonly Uint8Array[]
  readonly stateRoot: Uint8Array
}

const number = 20_000_000n

/** `missCount`: slots of the contract for misses, each read once. */
export function createUpstreamWorld(slotCount: number, missCount = slotCount): UpstreamWorld {
  const owners = Object.values(contracts)
  const addresses = [...owners, emptyAddress]
  const storages = new Map(
    owners.map((address) => [
      address,
      storageOf(address, address === contracts.miss ? missCount : slotCount),
    ]),
  )
  const rootOf = (address: string) => storages.get(address)?.trie.root ?? emptyTrieRoot
  const state = createPaddedTrie(
    addresses.map((address) => {
      const account = {
        nonce: 1n,
        balance: 0n,
        storageRoot: rootOf(address),
        codeHash: emptyCodeHash,
      }
      return [keccak256(fromHex(address)), encodeAccountState(account)]
    }),
    accountNodes,
  )
  const header = headerOf(state.root)
  const raw = encodeHeader(header)
  const blockHash = toHex(keccak256(raw))
  const accountProofs = new Map(
    addresses.map((address) => [address, JSON.stringify(state.proof(keccak256(fromHex(address))))]),
  )
  return {
    slots: (contract) => get(storages, contract).slots,
    blockHash,
    rawHeader: toHex(raw),
    block: blockObject(header, blockHash, raw.length),
    stateRoot: state.root,
    proof(contract, requestedSlots) {
      const storage = storages.get(contract)
      const storageProof = requestedSlots.map((slot) => {
        const proof = JSON.stringify(storage?.trie.proof(keccak256(fromHex(slot))) ?? [])
        return `{"key":"${slot}","value":"${storage?.values.get(slot) ?? '0x0'}","proof":${proof}}`
      })
      return (
        `{"address":"${contract}","accountProof":${get(accountProofs, contract)},"balance":"0x0",` +
        `"codeHash":"${toHex(emptyCodeHash)}","nonce":"0x1","storageHash":"${toHex(rootOf(contract))}",` +
        `"storageProof":[${storageProof.join(',')}]}`
      )
    },
    nodes: (contract, slot) => [
      ...state.nodes(keccak256(fromHex(contract))),
      ...get(storages, contract).trie.nodes(keccak256(fromHex(slot))),
    ],
  }
}

function storageOf(address: string, slotCount: number) {
  const slots = slotsOf(slotCount).map(({ slot, value }): Slot => {
    const digest = createHash('sha256').update(address).update(value).digest('hex')
    return { slot, value: `0x${digest}` }
  })
  const pairs = slots.map(
    ({ slot, value }) =>
      [keccak256(fromHex(slot)), encodeRlp(encodeInteger(BigInt(value)))] as const,
  )
  return {
    slots,
    values: new Map(slots.map(({ slot, value }) => [slot, value])),
    trie: createPaddedTrie(pairs, slotNodes),
  }
}

function get<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key)
  if (value === undefined) throw new Error(`the benchmark's upstream has no ${String(key)}`)
  return value
}

function headerOf(stateRoot: Uint8Array): Header {
  return {
    parentHash: keccak256(Uint8Array.of(1)),
    unclesHash: emptyUnclesHash,
    miner: new Uint8Array(20),
    stateRoot,
    transactionsRoot: emptyTrieRoot,
    receiptsRoot: emptyTrieRoot,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number,
    gasLimit: 60_000_000n,
    gasUsed: 0n,
    timestamp: 1_700_000_000n,
    extraData: new Uint8Array(0),
    mixHash: new Uint8Array(32),
    nonce: new Uint8Array(8),
    baseFeePerGas: 7n,
    withdrawalsRoot: emptyTrieRoot,
  }
}

function blockObject(header: Header, hash: string, bytes: number) {
  return {
    hash,
    parentHash: toHex(header.parentHash),
    sha3Uncles: toHex(header.unclesHash),
    miner: toHex(header.miner),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    logsBloom: toHex(header.logsBloom),
    difficulty: '0x0',
    number: toQuantity(header.number),
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: '0x0',
    timestamp: toQuantity(header.timestamp),
    extraData: '0x',
    mixHash: toHex(header.mixHash),
    nonce: toHex(header.nonce),
    baseFeePerGas: '0x7',
    withdrawalsRoot: toHex(header.withdrawalsRoot ?? emptyTrieRoot),
    size: toQuantity(bytes),
    uncles: [],
    transactions: [],
    withdrawals: [],
  }
}
