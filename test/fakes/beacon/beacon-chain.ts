// A simulated beacon chain: light client data in the format of the beacon API, with real trees, committees and BLS signatures. Slot
// and options alone determine a block, which is created on request.
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { fromHex, toHex } from '../../../src/base/hex.ts'
import { digest } from '../../../src/codec/hash/digest.ts'
import { parseHeader } from '../../../src/beacon/light-data.ts'
import {
  type BeaconSpec,
  type ForkName,
  forkAt,
  layouts,
  periodAt,
} from '../../../src/beacon/spec.ts'
import {
  type BeaconHeader,
  depthOf,
  hashPair,
  rootOfCommittee,
  rootOfHeader,
  rootOfNodes,
  signingRoot,
} from '../../../src/beacon/ssz.ts'

export type Json = Readonly<Record<string, unknown>>

export type BeaconChainOptions = {
  readonly spec: BeaconSpec
  /** Distinguishes chains: every root differs from those of another salt. */
  readonly salt?: string
  /** First secret key of the committee of a period; default: 3 × period. */
  readonly firstKey?: (period: number) => number
  readonly isMissed?: (slot: number) => boolean
  /** Execution block of a slot; default: one that does not exist. */
  readonly blockHash?: (slot: number) => string
  /** Formats data before Gloas as Gloas does: the block hash instead of the payload header. */
  readonly asGloas?: boolean
}

export type SignOptions = {
  /** Number of signing members, from the first; default: all. */
  readonly signers?: number
  readonly signatureSlot?: number
  /** Default: as in the specification. */
  readonly version?: Uint8Array
}

export type BeaconChain = {
  readonly spec: BeaconSpec
  /** The block root of a slot that has a block. */
  rootAt(slot: number): Uint8Array
  /** The newest slot with a block at or before this one. */
  blockAt(slot: number): number
  bootstrap(slot: number): Json
  /** The update for the state of this slot. */
  update(slot: number, options?: SignOptions): Json
  finalityUpdate(slot: number, options?: SignOptions): Json
  optimisticUpdate(slot: number, options?: SignOptions): Json
  forkOf(slot: number): ForkName
}

/** 32 members, epochs of 8 slots, periods of 8 epochs: the minimal preset. */
export function minimalSpec(options: Partial<BeaconSpec> = {}): BeaconSpec {
  const version = fromHex('0x05000001')
  return {
    genesisTime: Date.UTC(2026, 0, 1) / 1000,
    genesisValidatorsRoot: digest('sha256', Buffer.from('validators')),
    secondsPerSlot: 6,
    slotsPerEpoch: 8,
    epochsPerPeriod: 8,
    committeeSize: 32,
    forks: [{ name: 'electra', epoch: 0, version }],
    ...options,
  }
}

const { Point } = bls12_381.G1
const signatures = bls12_381.longSignatures
const ciphersuite = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'

type Member = { readonly secret: bigint; readonly key: Uint8Array }

/** Secret keys are 1, 2, 3, ...: each public key is one addition. */
function createMembers(): (secret: number) => Member {
  const points = [Point.BASE]
  const members = new Map<number, Member>()
  return (secret) => {
    while (points.length < secret) points.push((points.at(-1) ?? Point.BASE).add(Point.BASE))
    const found = members.get(secret)
    if (found !== undefined) return found
    const member = {
      secret: BigInt(secret),
      key: (points[secret - 1] ?? Point.BASE).toBytes(true),
    }
    members.set(secret, member)
    return member
  }
}

export function createBeaconChain(options: BeaconChainOptions): BeaconChain {
  const { spec, salt = '', firstKey = (period) => 3 * period } = options
  const memberOf = createMembers()
  const made = new Map<number, { readonly beacon: BeaconHeader; readonly state: Tree }>()
  const committees = new Map<number, ReturnType<typeof makeCommittee>>()
  const isMissed = (slot: number): boolean => slot > 0 && (options.isMissed?.(slot) ?? false)
  const filler = (text: string): Uint8Array => digest('sha256', Buffer.from(`${salt} ${text}`))
  const forkOf = (slot: number): ForkName => forkAt(spec, slot)?.name ?? 'capella'

  function blockAt(slot: number): number {
    let found = slot
    while (isMissed(found)) found -= 1
    return found
  }

  function makeCommittee(period: number) {
    const members = Array.from({ length: spec.committeeSize }, (_, at) =>
      memberOf(firstKey(period) + at + 1),
    )
    const keys = Buffer.concat(members.map(({ key }) => key))
    const sum = members.reduce((total, { secret }) => total + secret, 0n)
    const aggregate = Point.BASE.multiply(sum).toBytes(true)
    const json = {
      pubkeys: members.map(({ key }) => toHex(key)),
      aggregate_pubkey: toHex(aggregate),
    }
    return { members, json, root: rootOfCommittee({ keys, aggregate }) }
  }

  function committeeOf(period: number): ReturnType<typeof makeCommittee> {
    const found = committees.get(period) ?? makeCommittee(period)
    committees.set(period, found)
    return found
  }

  function finalizedSlot(slot: number): number {
    const epoch = Math.floor(slot / spec.slotsPerEpoch)
    return blockAt(Math.max(0, epoch - 2) * spec.slotsPerEpoch)
  }

  function bodyOf(slot: number): { readonly root: Uint8Array; readonly json: Json } {
    const blockHash = options.blockHash?.(slot) ?? toHex(filler(`block ${slot}`))
    const name = forkOf(slot)
    const { execution, executionLeaves, blockHash: hashIndex } = layouts[name]
    const node = (index: number): Uint8Array => filler(`body ${slot} ${index}`)
    if (execution === null) {
      const tree = makeTree(new Map([[hashIndex, fromHex(blockHash)]]), node)
      const branch = tree.branch(hashIndex).map(toHex)
      return {
        root: tree.root,
        json: { execution_block_hash: blockHash, execution_branch: branch },
      }
    }
    const payload = payloadOf(slot, blockHash, executionLeaves === 17)
    const parsed = parseHeader({ beacon: emptyBeacon, execution: payload, execution_branch: [] })
    const leaves = parsed.executionLeaves ?? []
    const tree = makeTree(new Map([[execution, rootOfNodes(leaves)]]), node)
    const outer = tree.branch(execution)
    if (options.asGloas !== true) {
      return { root: tree.root, json: { execution: payload, execution_branch: outer.map(toHex) } }
    }
    const all = [...branchOfLeaf(leaves, 12), ...outer]
    const zeros = Array.from({ length: 11 - all.length }, () => new Uint8Array(32))
    const branch = [...zeros, ...all].map(toHex)
    return { root: tree.root, json: { execution_block_hash: blockHash, execution_branch: branch } }
  }

  function blockOf(slot: number): { readonly beacon: BeaconHeader; readonly state: Tree } {
    const found = made.get(slot)
    if (found !== undefined) return found
    const period = periodAt(spec, slot)
    const layout = layouts[forkOf(slot)]
    const final = finalizedSlot(slot)
    const state = makeTree(
      new Map([
        [layout.currentCommittee, committeeOf(period).root],
        [layout.nextCommittee, committeeOf(period + 1).root],
        [layout.finalizedRoot, final === 0 ? new Uint8Array(32) : rootAt(final)],
      ]),
      (index) => filler(`state ${slot} ${index}`),
    )
    const beacon = {
      slot,
      proposerIndex: BigInt(slot % 100),
      parentRoot: filler(`parent ${slot}`),
      stateRoot: state.root,
      bodyRoot: bodyOf(slot).root,
    }
    made.set(slot, { beacon, state })
    return { beacon, state }
  }

  function headerOf(slot: number): Json {
    if (isMissed(slot)) throw new Error(`slot ${slot} has no block`)
    return { beacon: beaconJson(blockOf(slot).beacon), ...bodyOf(slot).json }
  }

  function rootAt(slot: number): Uint8Array {
    return rootOfHeader(blockOf(slot).beacon)
  }

  function sign(slot: number, given: SignOptions): Json {
    const signatureSlot = given.signatureSlot ?? nextBlock(slot)
    const { members } = committeeOf(periodAt(spec, signatureSlot))
    const signers = given.signers ?? members.length
    const version = given.version ?? forkAt(spec, signatureSlot - 1)?.version ?? new Uint8Array(4)
    const message = signingRoot(rootAt(slot), version, spec.genesisValidatorsRoot)
    const secret = members.slice(0, signers).reduce((sum, member) => sum + member.secret, 0n)
    const hashed = signatures.hash(message, ciphersuite)
    const signature = signers === 0 ? new Uint8Array(96) : hashed.multiply(secret).toBytes(true)
    const bits = new Uint8Array(spec.committeeSize / 8)
    for (let at = 0; at < signers; at += 1) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
    return {
      sync_aggregate: {
        sync_committee_bits: toHex(bits),
        sync_committee_signature: toHex(signature),
      },
      signature_slot: String(signatureSlot),
    }
  }

  function nextBlock(slot: number): number {
    let next = slot + 1
    while (isMissed(next)) next += 1
    return next
  }

  function finality(slot: number): Json {
    const { finalizedRoot } = layouts[forkOf(slot)]
    const final = finalizedSlot(slot)
    return {
      finalized_header: final === 0 ? emptyHeader : headerOf(final),
      finality_branch: blockOf(slot).state.branch(finalizedRoot).map(toHex),
    }
  }

  return {
    spec,
    rootAt,
    blockAt,
    forkOf,
    bootstrap: (slot) => ({
      header: headerOf(slot),
      current_sync_committee: committeeOf(periodAt(spec, slot)).json,
      current_sync_committee_branch: blockOf(slot)
        .state.branch(layouts[forkOf(slot)].currentCommittee)
        .map(toHex),
    }),
    update: (slot, given = {}) => ({
      attested_header: headerOf(slot),
      next_sync_committee: committeeOf(periodAt(spec, slot) + 1).json,
      next_sync_committee_branch: blockOf(slot)
        .state.branch(layouts[forkOf(slot)].nextCommittee)
        .map(toHex),
      ...finality(slot),
      ...sign(slot, given),
    }),
    finalityUpdate: (slot, given = {}) => ({
      attested_header: headerOf(slot),
      ...finality(slot),
      ...sign(slot, given),
    }),
    optimisticUpdate: (slot, given = {}) => ({
      attested_header: headerOf(slot),
      ...sign(slot, given),
    }),
  }
}

function beaconJson(beacon: BeaconHeader): Json {
  return {
    slot: String(beacon.slot),
    proposer_index: String(beacon.proposerIndex),
    parent_root: toHex(beacon.parentRoot),
    state_root: toHex(beacon.stateRoot),
    body_root: toHex(beacon.bodyRoot),
  }
}

const noRoot = toHex(new Uint8Array(32))
const emptyBeacon: Json = {
  slot: '0',
  proposer_index: '0',
  parent_root: noRoot,
  state_root: noRoot,
  body_root: noRoot,
}

function payloadOf(slot: number, blockHash: string, hasBlobs: boolean): Json {
  const bytes = (length: number): string => toHex(new Uint8Array(length).fill(slot % 251))
  return {
    parent_hash: bytes(32),
    fee_recipient: bytes(20),
    state_root: bytes(32),
    receipts_root: bytes(32),
    logs_bloom: bytes(256),
    prev_randao: bytes(32),
    block_number: String(slot),
    gas_limit: '36000000',
    gas_used: '21000',
    timestamp: String(slot),
    extra_data: toHex(Buffer.from('simulated').subarray(0, slot % 10)),
    base_fee_per_gas: '7000000000',
    block_hash: blockHash,
    transactions_root: bytes(32),
    withdrawals_root: bytes(32),
    ...(hasBlobs ? { blob_gas_used: '131072', excess_blob_gas: '0' } : {}),
  }
}

/** An empty LightClientHeader, which servers send if no block is finalized. */
export const emptyHeader: Json = {
  beacon: emptyBeacon,
  execution: {
    parent_hash: noRoot,
    fee_recipient: toHex(new Uint8Array(20)),
    state_root: noRoot,
    receipts_root: noRoot,
    logs_bloom: toHex(new Uint8Array(256)),
    prev_randao: noRoot,
    block_number: '0',
    gas_limit: '0',
    gas_used: '0',
    timestamp: '0',
    extra_data: '0x',
    base_fee_per_gas: '0',
    block_hash: noRoot,
    transactions_root: noRoot,
    withdrawals_root: noRoot,
    blob_gas_used: '0',
    excess_blob_gas: '0',
  },
  execution_branch: [noRoot, noRoot, noRoot, noRoot],
}

type Tree = { readonly root: Uint8Array; branch(index: number): readonly Uint8Array[] }

/** A tree with leaves at generalized indexes, and `filler` everywhere else. */
function makeTree(
  leaves: ReadonlyMap<number, Uint8Array>,
  filler: (index: number) => Uint8Array,
): Tree {
  const isAbove = (index: number): boolean =>
    [...leaves.keys()].some((leaf) => {
      const steps = depthOf(leaf) - depthOf(index)
      return steps >= 0 && leaf >> steps === index
    })
  function nodeAt(index: number): Uint8Array {
    const leaf = leaves.get(index)
    if (leaf !== undefined) return leaf
    return isAbove(index) ? hashPair(nodeAt(2 * index), nodeAt(2 * index + 1)) : filler(index)
  }
  return {
    root: nodeAt(1),
    branch(index) {
      const nodes: Uint8Array[] = []
      for (let at = index; at > 1; at >>= 1) nodes.push(nodeAt(at % 2 === 0 ? at + 1 : at - 1))
      return nodes
    },
  }
}

/** The branch of one leaf of a container. */
function branchOfLeaf(leaves: readonly Uint8Array[], position: number): readonly Uint8Array[] {
  const depth = Math.ceil(Math.log2(leaves.length))
  const first = 2 ** depth
  const zero = new Uint8Array(32)
  const all = new Map(
    Array.from({ length: first }, (_, at) => [first + at, leaves[at] ?? zero] as const),
  )
  return makeTree(all, () => zero).branch(first + position)
}
