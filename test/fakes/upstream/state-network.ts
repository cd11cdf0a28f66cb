// A Network of one block with given state, for reads of accounts and slots without a chain.
import { emptyTrieRoot, emptyUnclesHash } from '../../../src/codec/ethereum/account-state.ts'
import { encodeHeader, type Header } from '../../../src/codec/ethereum/header.ts'
import { keccak256 } from '../../../src/codec/hash/keccak.ts'
import type { UnverifiedItem } from '../../../src/content/ref.ts'
import type { Network } from '../../../src/chain/network.ts'
import { createFakeHead, createFakeNetwork, createFakeObtain } from './network.ts'

/**
 * `nodes`: of the state trie of `root` and everything below. `codes`: of its accounts. `header`: members that differ from the
 * default.
 */
export function createStateNetwork(state: {
  readonly root: Uint8Array
  readonly nodes: readonly Uint8Array[]
  readonly codes?: readonly Uint8Array[]
  readonly header?: Partial<Header>
}): Network {
  const header = encodeHeader({
    parentHash: new Uint8Array(32),
    unclesHash: emptyUnclesHash,
    miner: new Uint8Array(20),
    stateRoot: state.root,
    transactionsRoot: emptyTrieRoot,
    receiptsRoot: emptyTrieRoot,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number: 0n,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: 1n,
    extraData: new Uint8Array(0),
    mixHash: new Uint8Array(32),
    nonce: new Uint8Array(8),
    ...state.header,
  })
  const items = [itemOf('header', header)]
  for (const node of state.nodes) items.push(itemOf('trie-node', node))
  for (const code of state.codes ?? []) items.push(itemOf('code', code))
  const head = createFakeHead([
    { network: 'dev', hash: keccak256(header), number: state.header?.number ?? 0n },
  ])
  return createFakeNetwork({ head, obtain: createFakeObtain(items) })
}

function itemOf(kind: 'header' | 'trie-node' | 'code', bytes: Uint8Array): UnverifiedItem {
  return { ref: { kind, hash: keccak256(bytes) }, bytes }
}
