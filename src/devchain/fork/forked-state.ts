// The state of a forked chain: tries whose nodes are stored locally if they were read or written, and otherwise belong to the
// forked network. If a read or write meets a missing node, Cairn fetches the nodes on the path of its key and retries once. A
// node that this chain did not write is on the same path in the forked state, because a change of a trie does not affect the
// paths of all other keys.
// Tested by src/devchain/fork/forked-state.test.ts
import { BranchMPTNode, ExtensionMPTNode, LeafMPTNode, type MPTNode } from '@ethereumjs/mpt'
import type { MPTOpts, TrieShallowCopyOpts } from '@ethereumjs/mpt'
import type { Account, Address } from '@ethereumjs/util'
import { toHex } from '../../base/hex.ts'
import { toNibbles } from '../../codec/ethereum/trie-node.ts'
import { StateTrie } from '../engine/state-trie.ts'
import { SenderAwareState } from '../../evm/unsigned-sender.ts'
import { ForkReadFailed, NotLoaded, type ReadFork } from './fork-reads.ts'

/** `block`: see `ForkRead`. */
export type ForkedReads = { readonly block: Uint8Array | null; readonly read: ReadFork }

/** Runs `work`. If content is missing, loads it and runs `work` once more. Throws `ForkReadFailed`. */
async function loaded<T>(
  work: () => Promise<T>,
  load: () => Promise<unknown>,
  describe: () => string,
): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof NotLoaded)) throw thrown
  }
  await load()
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof NotLoaded)) throw thrown
    const detail = `the forked state does not contain ${describe()}: ${thrown.message}`
    throw new ForkReadFailed('damaged', { detail, cause: thrown })
  }
}

const anyAddress = new Uint8Array(20)

export class ForkedTrie extends StateTrie {
  readonly #reads: ForkedReads
  /** Owner of a storage trie, 20 bytes; null: this is the account trie. */
  owner: Uint8Array | null = null

  constructor(options: MPTOpts, reads: ForkedReads) {
    super(options)
    this.#reads = reads
  }

  override checkRoot(root: Uint8Array): Promise<boolean> {
    return this.#loaded(anyAddress, () => super.checkRoot(root))
  }

  override get(key: Uint8Array, throwIfMissing = false): Promise<Uint8Array | null> {
    return this.#loaded(key, () => super.get(key, throwIfMissing))
  }

  // The library takes a lock in `put` and `del` and does not release it if they throw: load the whole path first.
  override async put(key: Uint8Array, value: Uint8Array | null, isHashed = false): Promise<void> {
    await this.#loaded(key, () => this.findPath(isHashed ? key : this.appliedKey(key)))
    await super.put(key, value, isHashed)
  }

  override async del(key: Uint8Array, isHashed = false): Promise<void> {
    const hashed = isHashed ? key : this.appliedKey(key)
    const { node, stack } = await this.#loaded(key, () => this.findPath(hashed))
    if (node instanceof LeafMPTNode && (await this.#hasUnknownSibling(stack))) {
      await this.#deleteLeaf(stack, Array.from(toNibbles(hashed)))
    } else await super.del(key, isHashed)
  }

  #loaded<T>(key: Uint8Array, work: () => Promise<T>): Promise<T> {
    const { owner } = this
    const { block, read } = this.#reads
    return loaded(
      work,
      () =>
        owner === null
          ? read({ kind: 'account', block, address: key })
          : read({ kind: 'slot', block, address: owner, position: key }),
      () =>
        owner === null ? `account ${toHex(key)}` : `slot ${toHex(key)} of account ${toHex(owner)}`,
    )
  }

  /**
   * True if the deletion would leave a branch with one child whose node is not stored, or with none. The missing node cannot be
   * loaded by a proof, because no key on its path is known.
   */
  async #hasUnknownSibling(stack: readonly MPTNode[]): Promise<boolean> {
    const branch = stack.at(-2)
    if (!(branch instanceof BranchMPTNode)) return false
    const children = branch.getChildren().map(([, child]) => child)
    // Only `#deleteLeaf` leaves a branch with a single child, which the library does not support.
    if (children.length === 1) return true
    if (children.length > 2) return false
    const hashes = children.filter((child) => child instanceof Uint8Array)
    const isStored = await Promise.all(hashes.map((hash) => this.#isStored(hash)))
    return !isStored.every(Boolean)
  }

  async #isStored(hash: Uint8Array): Promise<boolean> {
    try {
      return (await this._db.get(this._getDbKey(hash))) !== undefined
    } catch (thrown) {
      if (thrown instanceof NotLoaded) return false
      throw thrown
    }
  }

  /** Removes a leaf from its branch, which stays a branch even with one child. A branch without children is removed as well. */
  async #deleteLeaf(stack: MPTNode[], path: number[]): Promise<void> {
    const leaf = stack.pop() as LeafMPTNode
    path.splice(path.length - leaf.key().length)
    for (;;) {
      const node = stack.at(-1)
      if (node === undefined) {
        this.root(this.EMPTY_TRIE_ROOT)
        return
      }
      if (node instanceof BranchMPTNode) {
        const child = path.at(-1) as number
        node.setBranch(child, null)
        if (node.getChildren().length > 0) break
        path.pop()
        stack.pop()
      } else {
        const { length } = (node as ExtensionMPTNode).key()
        path.splice(path.length - length)
        stack.pop()
      }
    }
    path.pop()
    await this.saveStack(path, stack, [])
  }

  override shallowCopy(includeCheckpoints = true, options: TrieShallowCopyOpts = {}): ForkedTrie {
    const copy = new ForkedTrie(
      {
        ...this._opts,
        db: this._db.db.shallowCopy(),
        root: this.root(),
        cacheSize: 0,
        ...options,
      },
      this.#reads,
    )
    if (includeCheckpoints && this.hasCheckpoints()) copy._db.setCheckpoints(this._db.checkpoints)
    return copy
  }
}

type StateOptions = NonNullable<ConstructorParameters<typeof SenderAwareState>[0]>

export class ForkedState extends SenderAwareState {
  readonly #reads: ForkedReads

  constructor(options: StateOptions & { readonly trie: ForkedTrie }, reads: ForkedReads) {
    super(options)
    this.#reads = reads
  }

  override getCode(address: Address): Promise<Uint8Array> {
    const { block, read } = this.#reads
    return loaded(
      () => super.getCode(address),
      () => read({ kind: 'code', block, address: address.bytes }),
      () => `the code of account ${address.toString()}`,
    )
  }

  protected override _getStorageTrie(address: Address, account?: Account): ForkedTrie {
    const trie = super._getStorageTrie(address, account) as ForkedTrie
    trie.owner = address.bytes
    return trie
  }

  /** Replaces the library's method, which never settles if `modify` fails. */
  protected override async _modifyContractStorage(
    address: Address,
    account: Account,
    modify: (trie: ForkedTrie, done: () => void) => unknown,
  ): Promise<void> {
    const trie = this._getStorageTrie(address, account)
    await modify(trie, () => {})
    account.storageRoot = trie.root()
    await this.putAccount(address, account)
  }
}
