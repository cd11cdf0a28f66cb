// The state of a forked chain: tries whose nodes are stored here as far as they were read or written, and otherwise belong to
// the forked network. A read or write that meets a missing node has the path of its key fetched, and starts again. A node that
// this chain did not write lies on the same path in the forked state, because a change of a trie leaves the paths of all other
// keys as they were.
// Tested by src/devchain/fork/forked-state.test.ts
import { BranchMPTNode, ExtensionMPTNode, LeafMPTNode, type MPTNode } from '@ethereumjs/mpt'
import type { MPTOpts, TrieShallowCopyOpts } from '@ethereumjs/mpt'
import type { Account, Address } from '@ethereumjs/util'
import { toHex } from '../../base/hex.ts'
import { toNibbles } from '../../codec/ethereum/trie-node.ts'
import { StateTrie } from '../vm/state-trie.ts'
import { SenderAwareState } from '../vm/unsigned-sender.ts'
import { ForkReadFailed, NotLoaded, type ReadFork } from './fork-reads.ts'

/** `block`: of the state, as in `ForkRead`. */
export type ForkedReads = { readonly block: Uint8Array | null; readonly read: ReadFork }

/** Runs `work`; if it meets missing content, loads it and runs `work` once more. Throws `ForkReadFailed`. */
async function loaded<T>(
  work: () => Promise<T>,
  load: () => Promise<unknown>,
  what: () => string,
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
    const detail = `the forked state does not contain ${what()}: ${thrown.message}`
    throw new ForkReadFailed('damaged', { detail, cause: thrown })
  }
}

const anyAddress = new Uint8Array(20)

export class ForkedTrie extends StateTrie {
  readonly #reads: ForkedReads
  /** Of a storage trie; null: the trie of accounts. */
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

  // The library takes a lock in `put` and `del` and keeps it when they throw: the path is complete before.
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
   * True if a branch would be left with one child whose node is not stored, or with none. No proof of a key brings that node,
   * because no key of its path is known.
   */
  async #hasUnknownSibling(stack: readonly MPTNode[]): Promise<boolean> {
    const branch = stack.at(-2)
    if (!(branch instanceof BranchMPTNode)) return false
    const children = branch.getChildren().map(([, child]) => child)
    // Only such a branch has a single child: the library would not expect it.
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

  /** Takes a leaf out of its branch, which stays a branch with one child; a branch without children is taken out in turn. */
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

  /** As the library's, which never settles when `modify` fails. */
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
