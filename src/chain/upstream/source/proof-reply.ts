// A reply to eth_getProof (EIP-1186) as bytes, within limits. Nothing in it is trusted: nodes are only candidates, found by their
// own hash, and the other members are only compared, never used.
// Tested by src/chain/upstream/source/check-proof.test.ts
import { equalBytes, toBareHex, toLatin1 } from '../../../base/hex.ts'
import {
  type JsonRecord,
  bytesOf,
  isPresent,
  recordOf,
} from '../../../codec/ethereum/json-fields.ts'
import { Fault } from '../../../base/fault.ts'
import { Malformed } from '../../../codec/ethereum/rlp.ts'
import { nameKeccakKinds } from '../../../codec/hash/verify-keccak.ts'

export class ProofNodes {
  readonly #texts: readonly string[]
  readonly #bytes: (Uint8Array | undefined)[] = []

  constructor(texts: readonly string[]) {
    this.#texts = texts
  }

  get length(): number {
    return this.#texts.length
  }

  /** `index`: less than `length`. Throws `Malformed` if it is not hex of whole bytes. */
  at(index: number): Uint8Array {
    const cached = this.#bytes[index]
    if (cached !== undefined) return cached
    const bytes = bytesOf(this.#texts[index], 'node')
    this.#bytes[index] = bytes
    return bytes
  }

  /** True if these are its bytes. False also if it is not lower-case hex. `index`: as for `at`. */
  isAt(index: number, bytes: Uint8Array): boolean {
    const cached = this.#bytes[index]
    if (cached !== undefined) return equalBytes(cached, bytes)
    const text = this.#texts[index] ?? ''
    if (text.length !== 2 + 2 * bytes.length) return false
    // Cheaper than decoding the text, whose bytes are not needed.
    return text.slice(2) === toBareHex(bytes) && text.startsWith('0x')
  }

  /** Throws as `at`. */
  all(): readonly Uint8Array[] {
    return this.#texts.map((_, index) => this.at(index))
  }

  /** The texts of the first `count` nodes. */
  spelled(count: number): readonly string[] {
    return this.#texts.slice(0, count)
  }

  /** True if the first nodes have these texts. */
  beginsWith(texts: readonly string[]): boolean {
    return texts.every((text, index) => text === this.#texts[index])
  }
}

/** A path of 64 nibbles has at most 65 nodes; a full branch is 532 bytes. */
export const proofCaps = { nodesPerList: 65, bytesPerNode: 4096 }

export type ProofReply = {
  readonly json: JsonRecord
  /** From the state root to the leaf, lists one after the other: that of the account, then those of the slots. */
  readonly nodes: ProofNodes
  /** Number of nodes listed for the account. */
  readonly accountNodes: number
  /** The entries for slots, in the order of the reply, for any slots. */
  readonly storage: readonly JsonRecord[]
  /** A list that is longer than any valid proof and was not read; null: none. */
  readonly excess: string | null
}

/** `slots`: number of requested slots. Throws `Malformed` on another shape. */
export function readProofReply(value: unknown, slots: number): ProofReply {
  const json = recordOf(value, 'proof')
  const excess: string[] = []
  const texts: string[] = []
  addNodes(texts, json['accountProof'], 'accountProof', excess)
  const accountNodes = texts.length
  // Some nodes omit it if no slot was requested.
  const isNone = slots === 0 && !isPresent(json['storageProof'])
  const entries = isNone ? [] : listOf(json['storageProof'], 'storageProof')
  if (entries.length > slots) excess.push(`${entries.length} storage proofs for ${slots} slots`)
  const storage = entries.slice(0, slots).map((entry) => {
    const one = recordOf(entry, 'storage proof')
    addNodes(texts, one['proof'], 'storage proof', excess)
    return one
  })
  return { json, nodes: new ProofNodes(texts), accountNodes, storage, excess: excess[0] ?? null }
}

/** Nodes by name, the `toLatin1` of their hash; and the name of each node, null if it is malformed. */
export type NodeBag = {
  readonly nodes: ReadonlyMap<string, Uint8Array>
  readonly names: readonly (string | null)[]
}

export function bagOf(nodes: readonly Uint8Array[]): NodeBag {
  const found = new Map<string, Uint8Array>()
  const names = nodes.map((node) => {
    const hash = nameOrNull(node)
    if (hash === null) return null
    const name = toLatin1(hash)
    found.set(name, node)
    return name
  })
  return { nodes: found, names }
}

function nameOrNull(node: Uint8Array): Uint8Array | null {
  try {
    return nameKeccakKinds('trie-node', node)
  } catch (thrown) {
    if (thrown instanceof Fault) return null
    throw thrown
  }
}

function addNodes(texts: string[], value: unknown, name: string, excess: string[]): void {
  const list = listOf(value, name)
  const { nodesPerList, bytesPerNode } = proofCaps
  if (list.length > nodesPerList) excess.push(`${list.length} nodes in one list`)
  for (const node of list.slice(0, nodesPerList)) {
    if (typeof node !== 'string') throw new Malformed(`${name} as an array of texts`)
    if (node.length <= 2 + 2 * bytesPerNode) texts.push(node)
    else excess.push(`a node of ${(node.length - 2) / 2} bytes`)
  }
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Malformed(`${name} as an array`)
  return value
}
