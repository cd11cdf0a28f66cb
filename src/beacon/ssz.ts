// Roots of the fixed SSZ containers of the light client protocol, without a library, and Merkle branches by generalized index.
// Sources: consensus-specs ssz/simple-serialize.md and ssz/merkle-proofs.md.
// Tested by src/beacon/ssz.test.ts
import { equalBytes } from '../base/hex.ts'
import { digest } from '../codec/hash/digest.ts'

const zero = new Uint8Array(32)

/** SHA-256 of two nodes of 32 bytes. */
export function hashPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(64)
  both.set(left)
  both.set(right, 32)
  return digest('sha256', both)
}

/** Root of a tree over nodes of 32 bytes, padded with zero nodes to a power of two. `nodes`: at least one. */
export function rootOfNodes(nodes: readonly Uint8Array[]): Uint8Array {
  let row = [...nodes]
  let filler: Uint8Array = zero
  while (row.length > 1) {
    const above: Uint8Array[] = []
    for (let at = 0; at < row.length; at += 2) {
      above.push(hashPair(row[at] ?? filler, row[at + 1] ?? filler))
    }
    row = above
    filler = hashPair(filler, filler)
  }
  return row[0] ?? zero
}

/** Encodes an unsigned integer of up to 256 bits as a node: little-endian. */
export function nodeOfInteger(value: bigint): Uint8Array {
  const node = new Uint8Array(32)
  for (let at = 0, rest = value; rest > 0n && at < 32; at += 1, rest >>= 8n) {
    node[at] = Number(rest & 0xffn)
  }
  return node
}

/** Root of a vector of bytes. */
export function rootOfBytes(bytes: Uint8Array): Uint8Array {
  const nodes: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 32) {
    const node = new Uint8Array(32)
    node.set(bytes.subarray(at, at + 32))
    nodes.push(node)
  }
  return rootOfNodes(nodes)
}

/** Root of a list of at most 32 bytes. */
export function rootOfShortList(bytes: Uint8Array): Uint8Array {
  const node = new Uint8Array(32)
  node.set(bytes)
  return hashPair(node, nodeOfInteger(BigInt(bytes.length)))
}

export type BeaconHeader = {
  readonly slot: number
  readonly proposerIndex: bigint
  readonly parentRoot: Uint8Array
  readonly stateRoot: Uint8Array
  readonly bodyRoot: Uint8Array
}

/** `hash_tree_root` of a BeaconBlockHeader: the block root. */
export function rootOfHeader(header: BeaconHeader): Uint8Array {
  return rootOfNodes([
    nodeOfInteger(BigInt(header.slot)),
    nodeOfInteger(header.proposerIndex),
    header.parentRoot,
    header.stateRoot,
    header.bodyRoot,
  ])
}

/** `keys`: compressed public keys of 48 bytes, concatenated; `aggregate`: their sum, 48 bytes. */
export type CommitteeKeys = { readonly keys: Uint8Array; readonly aggregate: Uint8Array }

/** `hash_tree_root` of a SyncCommittee. */
export function rootOfCommittee({ keys, aggregate }: CommitteeKeys): Uint8Array {
  const nodes: Uint8Array[] = []
  for (let at = 0; at < keys.length; at += 48) nodes.push(rootOfBytes(keys.subarray(at, at + 48)))
  return hashPair(rootOfNodes(nodes), rootOfBytes(aggregate))
}

/** DOMAIN_SYNC_COMMITTEE, Altair. */
const domainType = Uint8Array.of(7, 0, 0, 0)

/** The message that a sync committee signs for a block root under a fork version (`compute_signing_root`). */
export function signingRoot(
  blockRoot: Uint8Array,
  version: Uint8Array,
  genesisValidatorsRoot: Uint8Array,
): Uint8Array {
  const forkRoot = hashPair(rootOfBytes(version), genesisValidatorsRoot)
  const domain = new Uint8Array(32)
  domain.set(domainType)
  domain.set(forkRoot.subarray(0, 28), 4)
  return hashPair(blockRoot, domain)
}

/** Number of nodes in a branch to a generalized index. */
export function depthOf(index: number): number {
  return 31 - Math.clz32(index)
}

/**
 * True if `branch` (nodes from the leaf up) proves `leaf` at the generalized `index` under `root`. A branch in the form of a
 * later, deeper fork begins with zeros (`is_valid_normalized_merkle_branch`).
 */
export function isBranch(
  leaf: Uint8Array,
  branch: readonly Uint8Array[],
  index: number,
  root: Uint8Array,
): boolean {
  const extra = branch.length - depthOf(index)
  if (extra < 0 || !branch.slice(0, extra).every((node) => equalBytes(node, zero))) return false
  let node = leaf
  let at = index
  for (const sibling of branch.slice(extra)) {
    node = at % 2 === 1 ? hashPair(sibling, node) : hashPair(node, sibling)
    at >>= 1
  }
  return equalBytes(node, root)
}

/** True if all nodes are zero: the branch of an absent value. */
export function isZeroBranch(branch: readonly Uint8Array[]): boolean {
  return branch.every((node) => equalBytes(node, zero))
}
