// State of a stub upstream, read and proved by @ethereumjs/mpt over the nodes of its chain.
import { MerklePatriciaTrie, createMerkleProof } from '@ethereumjs/mpt'
import { type DB, ValueEncoding } from '@ethereumjs/util'
import { type Hex, fromRlp } from 'viem'
import { fromHex, toHex, toQuantity } from '../../../src/base/hex.ts'
import { emptyCodeHash, emptyTrieRoot } from '../../../src/codec/ethereum/account-state.ts'
import type { LocalStore } from '../../../src/content/block-store.ts'

export type StubAccount = {
  readonly nonce: string
  readonly balance: string
  readonly storageHash: string
  readonly codeHash: string
}

/** All methods take an address as 20 bytes of hex and a state root; slots are 32 bytes of hex. */
export type StubState = {
  account(root: Uint8Array, address: string): Promise<StubAccount>
  code(root: Uint8Array, address: string): Promise<string>
  /** 32 bytes. */
  slot(root: Uint8Array, address: string, position: string): Promise<string>
  accountProof(root: Uint8Array, address: string): Promise<readonly string[]>
  slotProof(root: Uint8Array, address: string, position: string): Promise<readonly string[]>
}

export function createStubState(store: LocalStore): StubState {
  const database: DB<string, Uint8Array> = {
    get: async (key) => store.peek({ kind: 'trie-node', hash: fromHex(key) }) ?? undefined,
    put: async () => {},
    del: async () => {},
    batch: async () => {},
    shallowCopy: () => database,
    open: async () => {},
  }

  function trieOf(root: Uint8Array): MerklePatriciaTrie {
    return new MerklePatriciaTrie({
      db: database,
      root,
      useKeyHashing: true,
      valueEncoding: ValueEncoding.Bytes,
    })
  }

  async function leaf(root: Uint8Array, address: string) {
    const value = await trieOf(root).get(fromHex(address))
    if (value === null) {
      return {
        nonce: '0x',
        balance: '0x',
        storage: toHex(emptyTrieRoot),
        code: toHex(emptyCodeHash),
      }
    }
    const [nonce, balance, storage, code] = fromRlp(value, 'hex') as readonly Hex[] as [
      Hex,
      Hex,
      Hex,
      Hex,
    ]
    return { nonce, balance, storage, code }
  }

  const storageOf = async (root: Uint8Array, address: string) =>
    trieOf(fromHex((await leaf(root, address)).storage))

  return {
    async account(root, address) {
      const { nonce, balance, storage, code } = await leaf(root, address)
      return {
        nonce: quantityOf(nonce),
        balance: quantityOf(balance),
        storageHash: storage,
        codeHash: code,
      }
    },
    async code(root, address) {
      const { code } = await leaf(root, address)
      if (code === toHex(emptyCodeHash)) return '0x'
      return toHex(store.peek({ kind: 'code', hash: fromHex(code) }) ?? new Uint8Array(0))
    },
    async slot(root, address, position) {
      const value = await (await storageOf(root, address)).get(fromHex(position))
      const word = value === null ? '0x' : (fromRlp(value, 'hex') as Hex)
      return `0x${word.slice(2).padStart(64, '0')}`
    },
    accountProof: (root, address) => proofOf(trieOf(root), address),
    async slotProof(root, address, position) {
      return proofOf(await storageOf(root, address), position)
    },
  }
}

/** Nodes below 32 bytes are embedded in their parent and not listed. */
async function proofOf(trie: MerklePatriciaTrie, key: string): Promise<readonly string[]> {
  if (toHex(trie.root()) === toHex(emptyTrieRoot)) return []
  const nodes = await createMerkleProof(trie, fromHex(key))
  return nodes.filter((node, index) => index === 0 || node.length >= 32).map(toHex)
}

function quantityOf(item: string): string {
  return toQuantity(item === '0x' ? 0n : BigInt(item))
}
