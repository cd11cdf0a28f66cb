// Parses light client data of the beacon API (JSON): bootstrap, updates, headers. All sizes are limited by the preset. Nothing is
// proved yet: store.ts does that.
// Source: beacon-APIs, types/altair/light_client.yaml and later forks.
// Tested by src/beacon/store.test.ts
import { fromHex } from '../base/hex.ts'
import { keyBytes, signatureBytes } from './bls.ts'
import type { BeaconSpec } from './spec.ts'
import {
  type BeaconHeader,
  type CommitteeKeys,
  nodeOfInteger,
  rootOfBytes,
  rootOfShortList,
} from './ssz.ts'

/** Nodes from the leaf up. */
type Branch = readonly Uint8Array[]

export type LightHeader = {
  readonly beacon: BeaconHeader
  /** Hash of the execution block: a claim until `executionBranch` is verified. */
  readonly blockHash: Uint8Array
  /** Roots of the members of the execution payload header; null: the header has only the block hash (Gloas). */
  readonly executionLeaves: readonly Uint8Array[] | null
  readonly executionBranch: Branch
}

export type Bootstrap = {
  readonly header: LightHeader
  readonly committee: CommitteeKeys
  readonly committeeBranch: Branch
}

/** A LightClientUpdate, or a finality or optimistic update, whose other members are null. */
export type LightUpdate = {
  readonly attested: LightHeader
  readonly nextCommittee: CommitteeKeys | null
  readonly nextCommitteeBranch: Branch
  readonly finalized: LightHeader | null
  readonly finalityBranch: Branch
  /** One for each member of the committee. */
  readonly bits: readonly boolean[]
  readonly signature: Uint8Array
  readonly signatureSlot: number
}

/** Data that cannot be parsed. The message names the member, not its value. */
export class UnreadableData extends Error {
  override readonly name = 'UnreadableData'
}

/** The deepest branch of any fork is 11 nodes. */
const branchNodesMax = 16

type Members = Readonly<Record<string, unknown>>

/** Throws UnreadableData. */
export function parseBootstrap(spec: BeaconSpec, json: unknown): Bootstrap {
  const data = membersOf(json, 'data')
  return {
    header: parseHeader(data['header']),
    committee: parseCommittee(spec, data['current_sync_committee']),
    committeeBranch: parseBranch(data['current_sync_committee_branch']),
  }
}

/** An update, finality update or optimistic update. Throws UnreadableData. */
export function parseUpdate(spec: BeaconSpec, json: unknown): LightUpdate {
  const data = membersOf(json, 'data')
  const aggregate = membersOf(data['sync_aggregate'], 'sync_aggregate')
  const committee = data['next_sync_committee']
  const finalized = data['finalized_header']
  return {
    attested: parseHeader(data['attested_header']),
    nextCommittee: committee === undefined ? null : parseCommittee(spec, committee),
    nextCommitteeBranch: parseBranch(data['next_sync_committee_branch'] ?? []),
    finalized: finalized === undefined ? null : parseHeader(finalized),
    finalityBranch: parseBranch(data['finality_branch'] ?? []),
    bits: parseBits(spec, aggregate['sync_committee_bits']),
    signature: bytesOf(
      aggregate['sync_committee_signature'],
      signatureBytes,
      'sync_committee_signature',
    ),
    signatureSlot: slotOf(data['signature_slot'], 'signature_slot'),
  }
}

export function parseHeader(json: unknown): LightHeader {
  const header = membersOf(json, 'header')
  const beacon = parseBeaconHeader(header['beacon'])
  const executionBranch = parseBranch(header['execution_branch'])
  if (header['execution'] === undefined) {
    const blockHash = bytesOf(header['execution_block_hash'], 32, 'execution_block_hash')
    return { beacon, blockHash, executionLeaves: null, executionBranch }
  }
  const execution = membersOf(header['execution'], 'execution')
  const blockHash = bytesOf(execution['block_hash'], 32, 'block_hash')
  return { beacon, blockHash, executionLeaves: leavesOf(execution), executionBranch }
}

function parseBeaconHeader(json: unknown): BeaconHeader {
  const beacon = membersOf(json, 'beacon')
  return {
    slot: slotOf(beacon['slot'], 'slot'),
    proposerIndex: integerOf(beacon['proposer_index'], 64, 'proposer_index'),
    parentRoot: bytesOf(beacon['parent_root'], 32, 'parent_root'),
    stateRoot: bytesOf(beacon['state_root'], 32, 'state_root'),
    bodyRoot: bytesOf(beacon['body_root'], 32, 'body_root'),
  }
}

/** Member roots of an ExecutionPayloadHeader: 15 in Capella, 17 from Deneb on. */
function leavesOf(execution: Members): readonly Uint8Array[] {
  const node = (name: string): Uint8Array => bytesOf(execution[name], 32, name)
  const integer = (name: string, bits = 64): Uint8Array =>
    nodeOfInteger(integerOf(execution[name], bits, name))
  const leaves = [
    node('parent_hash'),
    rootOfBytes(bytesOf(execution['fee_recipient'], 20, 'fee_recipient')),
    node('state_root'),
    node('receipts_root'),
    rootOfBytes(bytesOf(execution['logs_bloom'], 256, 'logs_bloom')),
    node('prev_randao'),
    integer('block_number'),
    integer('gas_limit'),
    integer('gas_used'),
    integer('timestamp'),
    rootOfShortList(bytesOf(execution['extra_data'], null, 'extra_data')),
    integer('base_fee_per_gas', 256),
    node('block_hash'),
    node('transactions_root'),
    node('withdrawals_root'),
  ]
  if (execution['blob_gas_used'] === undefined) return leaves
  return [...leaves, integer('blob_gas_used'), integer('excess_blob_gas')]
}

function parseCommittee(spec: BeaconSpec, json: unknown): CommitteeKeys {
  const committee = membersOf(json, 'sync committee')
  const list = committee['pubkeys']
  if (!Array.isArray(list) || list.length !== spec.committeeSize) throw unreadable('pubkeys')
  const keys = new Uint8Array(spec.committeeSize * keyBytes)
  for (const [member, key] of list.entries()) {
    keys.set(bytesOf(key, keyBytes, 'pubkeys'), member * keyBytes)
  }
  return { keys, aggregate: bytesOf(committee['aggregate_pubkey'], keyBytes, 'aggregate_pubkey') }
}

function parseBranch(json: unknown): Branch {
  if (!Array.isArray(json) || json.length > branchNodesMax) throw unreadable('branch')
  return json.map((node) => bytesOf(node, 32, 'branch'))
}

/** Bit vector: the lowest bit of the first byte belongs to the first member. */
function parseBits({ committeeSize }: BeaconSpec, json: unknown): readonly boolean[] {
  const bytes = bytesOf(json, Math.ceil(committeeSize / 8), 'sync_committee_bits')
  return Array.from(
    { length: committeeSize },
    (_, at) => (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) === 1,
  )
}

/** `length` null: at most 32 bytes. */
function bytesOf(json: unknown, length: number | null, member: string): Uint8Array {
  const isHex = typeof json === 'string' && /^0x(?:[0-9a-fA-F]{2})*$/.test(json)
  if (!isHex) throw unreadable(member)
  const bytes = (json.length - 2) / 2
  if (length === null ? bytes > 32 : bytes !== length) throw unreadable(member)
  return fromHex(json)
}

function integerOf(json: unknown, bits: number, member: string): bigint {
  if (typeof json !== 'string' || !/^\d{1,78}$/.test(json)) throw unreadable(member)
  const value = BigInt(json)
  if (value >> BigInt(bits) !== 0n) throw unreadable(member)
  return value
}

/** Slots above 2^53 occur on no chain. */
function slotOf(json: unknown, member: string): number {
  const slot = Number(integerOf(json, 64, member))
  if (!Number.isSafeInteger(slot)) throw unreadable(member)
  return slot
}

function membersOf(json: unknown, member: string): Members {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw unreadable(member)
  return json as Members
}

function unreadable(member: string): UnreadableData {
  return new UnreadableData(`cannot read ${member} of light client data`)
}
