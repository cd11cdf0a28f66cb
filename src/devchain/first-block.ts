// Makes block 0 of a genesis: its state tries, header and hash. Uses only the codec and no EVM, so that a first start is fast.
import type { UnverifiedItem } from '../content/ref.ts'
import {
  emptyCodeHash,
  emptyRequestsHash,
  emptyTrieRoot,
  emptyUnclesHash,
  encodeAccountState,
} from '../codec/ethereum/account-state.ts'
import { encodeHeader } from '../codec/ethereum/header.ts'
import type { Header } from '../codec/ethereum/header.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { encodeRlp } from '../codec/ethereum/rlp.ts'
import { buildTrie } from '../codec/ethereum/trie-build.ts'
import { toHex } from '../base/hex.ts'
import { activeAtGenesis } from '../evm/genesis.ts'
import type { Genesis, GenesisAccount } from '../evm/genesis.ts'
import { isOpConfig } from '../evm/op-config.ts'

/** `header`: RLP; `hash`: its keccak256; `items`: header, code and every state node. */
export type FirstBlock = {
  readonly header: Uint8Array
  readonly hash: Uint8Array
  readonly items: readonly UnverifiedItem[]
}

const gwei = 1_000_000_000n

export function buildFirstBlock(genesis: Genesis): FirstBlock {
  const items: UnverifiedItem[] = []
  const pairs = genesis.accounts.map(
    (account) => [keccak256(account.address), accountLeaf(account, items)] as const,
  )
  const state = buildTrie(pairs)
  for (const bytes of state.nodes) items.push(item('trie-node', bytes))
  const withdrawalsRoot = withdrawalsRootOf(genesis)
  const header = encodeHeader(firstHeader(genesis, state.root, withdrawalsRoot))
  items.push(item('header', header))
  return { header, hash: keccak256(header), items }
}

/** From Isthmus on, `withdrawalsRoot` of an OP Stack header is the storage root of this contract; zeros if it has no account. */
const messagePasser = '0x4200000000000000000000000000000000000016'

function withdrawalsRootOf(genesis: Genesis): Uint8Array {
  const isIsthmus = isOpConfig(genesis.config) && activeAtGenesis(genesis, 'isthmusTime')
  if (!isIsthmus) return emptyTrieRoot
  const passer = genesis.accounts.find(({ address }) => toHex(address) === messagePasser)
  return passer === undefined ? new Uint8Array(32) : storageOf(passer).root
}

function storageOf({ storage }: GenesisAccount) {
  return buildTrie(storage.map(([slot, value]) => [keccak256(slot), encodeRlp(value)] as const))
}

function accountLeaf(account: GenesisAccount, items: UnverifiedItem[]): Uint8Array {
  const { nonce, balance, code } = account
  const storage = storageOf(account)
  for (const bytes of storage.nodes) items.push(item('trie-node', bytes))
  if (code.length > 0) items.push(item('code', code))
  const codeHash = code.length === 0 ? emptyCodeHash : keccak256(code)
  return encodeAccountState({ nonce, balance, storageRoot: storage.root, codeHash })
}

/** Fields of the first header as in go-ethereum core/genesis.go, toBlockWithRoot. */
function firstHeader(genesis: Genesis, stateRoot: Uint8Array, withdrawalsRoot: Uint8Array): Header {
  const nonce = new Uint8Array(8)
  new DataView(nonce.buffer).setBigUint64(0, genesis.nonce)
  const active = (fork: string) => activeAtGenesis(genesis, fork)
  return {
    parentHash: new Uint8Array(32),
    unclesHash: emptyUnclesHash,
    miner: genesis.coinbase,
    stateRoot,
    transactionsRoot: emptyTrieRoot,
    receiptsRoot: emptyTrieRoot,
    logsBloom: new Uint8Array(256),
    difficulty: genesis.difficulty,
    number: 0n,
    gasLimit: genesis.gasLimit,
    gasUsed: 0n,
    timestamp: genesis.timestamp,
    extraData: genesis.extraData,
    mixHash: genesis.mixHash,
    nonce,
    ...(active('londonBlock') && { baseFeePerGas: genesis.baseFeePerGas ?? gwei }),
    ...(active('shanghaiTime') && { withdrawalsRoot }),
    ...(active('cancunTime') && {
      blobGasUsed: genesis.blobGasUsed ?? 0n,
      excessBlobGas: genesis.excessBlobGas ?? 0n,
      parentBeaconBlockRoot: new Uint8Array(32),
    }),
    ...(active('pragueTime') && { requestsHash: emptyRequestsHash }),
  }
}

function item(kind: 'trie-node' | 'code' | 'header', bytes: Uint8Array): UnverifiedItem {
  return { ref: { kind, hash: keccak256(bytes) }, bytes }
}
