// The light client's state and its rules: a pure state machine without clock, network or BLS arithmetic. It differs from
// consensus-specs light-client/sync-protocol.md in two points, both stricter: every header, also an optimistic one, needs two
// thirds of the committee, and there is no force update.
// Tested by src/beacon/store.test.ts, src/beacon/spec-cases.test.ts
import { equalBytes } from '../base/hex.ts'
import type { Bootstrap, LightHeader, LightUpdate } from './light-data.ts'
import {
  type BeaconFork,
  type BeaconSpec,
  type ForkLayout,
  forkAt,
  layouts,
  periodAt,
  signersNeeded,
} from './spec.ts'
import {
  type CommitteeKeys,
  hashPair,
  isBranch,
  isZeroBranch,
  rootOfBytes,
  rootOfCommittee,
  rootOfHeader,
  rootOfNodes,
  signingRoot,
} from './ssz.ts'

/** A proved committee. `points`: affine keys from bls.ts. */
export type Committee = { readonly root: Uint8Array; readonly points: Uint8Array }

/** A proved header: its block root, its slot and its execution block. */
export type ProvedHead = {
  readonly root: Uint8Array
  readonly slot: number
  readonly blockHash: Uint8Array
  /** Number of signers in the committee; 0 for the checkpoint. */
  readonly signers: number
}

export type LightStore = {
  readonly finalized: ProvedHead
  readonly optimistic: ProvedHead
  readonly current: Committee
  /** Null: not yet known. */
  readonly next: Committee | null
}

/** Signature verification and decompression of keys: bls.ts, or a fake in tests. */
export type Signatures = {
  decompress(keys: Uint8Array): Uint8Array
  verify(
    points: Uint8Array,
    bits: readonly boolean[],
    message: Uint8Array,
    signature: Uint8Array,
  ): boolean
}

/**
 * `applied`: the store changed. `old`: no news; verified only as far as needed to see that. `short`: correctly signed, but by
 * fewer than two thirds. `equivocation`: two thirds also signed another header of the same slot; the store has the one with
 * more signers.
 */
export type Outcome = 'applied' | 'old' | 'short' | 'equivocation'

/** Rules that data can violate, named after the specification's asserts. */
export type Rule =
  | 'checkpoint'
  | 'header'
  | 'committee-branch'
  | 'participants'
  | 'slots'
  | 'period'
  | 'finality-branch'
  | 'finality-absent'
  | 'next-committee-branch'
  | 'next-committee-absent'
  | 'next-committee-changed'
  | 'signature'

/** Invalid data, which no honest node sends. */
export class InvalidData extends Error {
  override readonly name = 'InvalidData'
  readonly rule: Rule
  constructor(rule: Rule) {
    super(`the light client data breaks the rule: ${rule}`)
    this.rule = rule
  }
}

/** Two thirds signed a finalized header that contradicts the stored one: another network, or an attack. */
export class FinalityContradiction extends Error {
  override readonly name = 'FinalityContradiction'
}

const zero = new Uint8Array(32)

/** Throws InvalidData. `root`: the block root of the checkpoint. */
export function startStore(
  spec: BeaconSpec,
  root: Uint8Array,
  { header, committee, committeeBranch }: Bootstrap,
  { decompress }: Pick<Signatures, 'decompress'>,
): LightStore {
  const layout = checkHeader(spec, header)
  insist('checkpoint', equalBytes(rootOfHeader(header.beacon), root))
  const committeeRoot = rootOfCommittee(committee)
  const { stateRoot, slot } = header.beacon
  insist(
    'committee-branch',
    isBranch(committeeRoot, committeeBranch, layout.currentCommittee, stateRoot),
  )
  const head = { root, slot, blockHash: header.blockHash, signers: 0 }
  const current = { root: committeeRoot, points: decompress(committee.keys) }
  return { finalized: head, optimistic: head, current, next: null }
}

/**
 * The store after an update, finality update or optimistic update. `currentSlot`: by the local clock. Throws InvalidData
 * and FinalityContradiction; the store is then unchanged.
 */
export function advanceStore(
  spec: BeaconSpec,
  store: LightStore,
  update: LightUpdate,
  currentSlot: number,
  signatures: Signatures,
): { readonly store: LightStore; readonly outcome: Outcome } {
  const found = readUpdate(spec, store, update, currentSlot)
  if (!isNews(store, found)) return { store, outcome: 'old' }
  insist('signature', isSigned(spec, store, update, found, signatures))
  if (found.attested.signers < signersNeeded(spec)) return { store, outcome: 'short' }
  const { finalized } = found
  if (
    finalized !== null &&
    finalized.slot === store.finalized.slot &&
    !equalBytes(finalized.root, store.finalized.root)
  ) {
    throw new FinalityContradiction()
  }
  return applyUpdate(store, found, signatures)
}

/** An update with proved branches, whose signature is not verified yet. */
type ReadUpdate = {
  readonly attested: ProvedHead
  readonly finalized: ProvedHead | null
  readonly next: { readonly root: Uint8Array; readonly keys: Uint8Array } | null
  /** Periods of the signature's slot and of the store. */
  readonly signaturePeriod: number
  readonly storePeriod: number
  readonly attestedPeriod: number
  /** Null: the update has no finalized header. */
  readonly finalizedPeriod: number | null
}

/** The part of `validate_light_client_update` before the signature. */
function readUpdate(
  spec: BeaconSpec,
  store: LightStore,
  update: LightUpdate,
  currentSlot: number,
): ReadUpdate {
  const signers = update.bits.filter(Boolean).length
  insist('participants', signers >= 1)
  const layout = checkHeader(spec, update.attested)
  const { slot, stateRoot } = update.attested.beacon
  const finalizedSlot = update.finalized?.beacon.slot ?? 0
  insist(
    'slots',
    currentSlot >= update.signatureSlot && update.signatureSlot > slot && slot >= finalizedSlot,
  )
  const storePeriod = periodAt(spec, store.finalized.slot)
  const signaturePeriod = periodAt(spec, update.signatureSlot)
  const isPeriod = signaturePeriod === storePeriod
  insist('period', isPeriod || (store.next !== null && signaturePeriod === storePeriod + 1))
  const attestedPeriod = periodAt(spec, slot)
  const finalized = readFinalized(spec, update, layout, signers)
  const next = readNext(update, layout, stateRoot)
  if (next !== null && store.next !== null && attestedPeriod === storePeriod) {
    insist('next-committee-changed', equalBytes(next.root, store.next.root))
  }
  const root = rootOfHeader(update.attested.beacon)
  return {
    attested: { root, slot, blockHash: update.attested.blockHash, signers },
    finalized,
    next,
    signaturePeriod,
    storePeriod,
    attestedPeriod,
    finalizedPeriod: finalized === null ? null : periodAt(spec, finalized.slot),
  }
}

function readFinalized(
  spec: BeaconSpec,
  { finalized, finalityBranch, attested }: LightUpdate,
  layout: ForkLayout,
  signers: number,
): ProvedHead | null {
  const isAbsent = finalized === null || isEmptyHeader(finalized)
  if (isZeroBranch(finalityBranch)) {
    insist('finality-absent', isAbsent)
    return null
  }
  // The finalized checkpoint at genesis is a zero root.
  const isGenesis = finalized === null || finalized.beacon.slot === 0
  if (isGenesis) insist('finality-absent', isAbsent)
  else checkHeader(spec, finalized)
  const root = isGenesis ? zero : rootOfHeader(finalized.beacon)
  insist(
    'finality-branch',
    isBranch(root, finalityBranch, layout.finalizedRoot, attested.beacon.stateRoot),
  )
  if (isGenesis) return null
  return { root, slot: finalized.beacon.slot, blockHash: finalized.blockHash, signers }
}

function readNext(
  { nextCommittee, nextCommitteeBranch }: LightUpdate,
  layout: ForkLayout,
  stateRoot: Uint8Array,
): ReadUpdate['next'] {
  if (isZeroBranch(nextCommitteeBranch)) {
    insist('next-committee-absent', nextCommittee === null || isEmptyCommittee(nextCommittee))
    return null
  }
  const root = nextCommittee === null ? zero : rootOfCommittee(nextCommittee)
  insist(
    'next-committee-branch',
    nextCommittee !== null && isBranch(root, nextCommitteeBranch, layout.nextCommittee, stateRoot),
  )
  return { root, keys: nextCommittee?.keys ?? zero }
}

/** False for an update that every endpoint repeats: saves the signature check, which takes 20 ms. */
function isNews(store: LightStore, found: ReadUpdate): boolean {
  const { attested, finalized } = found
  if (attested.slot > store.optimistic.slot || bringsNext(store, found)) return true
  if (finalized !== null && finalized.slot >= store.finalized.slot) {
    if (!equalBytes(finalized.root, store.finalized.root)) return true
  }
  const { root, slot, signers } = store.optimistic
  if (attested.slot !== slot) return false
  return !equalBytes(attested.root, root) || attested.signers > signers
}

/**
 * True if the next committee is not known yet and the update proves it, finalized within the period. The update's finalized
 * header may be older than the store's.
 */
function bringsNext(store: LightStore, { next, finalizedPeriod, ...found }: ReadUpdate): boolean {
  const isOfStore = found.attestedPeriod === found.storePeriod
  return (
    store.next === null && next !== null && isOfStore && finalizedPeriod === found.attestedPeriod
  )
}

function isSigned(
  spec: BeaconSpec,
  store: LightStore,
  update: LightUpdate,
  { attested, signaturePeriod, storePeriod }: ReadUpdate,
  signatures: Signatures,
): boolean {
  const committee = signaturePeriod === storePeriod ? store.current : store.next
  const fork = forkAt(spec, Math.max(update.signatureSlot, 1) - 1)
  if (committee === null || fork === null) return false
  const message = signingRoot(attested.root, fork.version, spec.genesisValidatorsRoot)
  return signatures.verify(committee.points, update.bits, message, update.signature)
}

/** Implements `apply_light_client_update`, and updates the optimistic header. */
function applyUpdate(
  store: LightStore,
  found: ReadUpdate,
  { decompress }: Signatures,
): { readonly store: LightStore; readonly outcome: Outcome } {
  const { attested, finalized, next, storePeriod } = found
  const isEquivocation =
    attested.slot === store.optimistic.slot && !equalBytes(attested.root, store.optimistic.root)
  const isBetter =
    attested.slot > store.optimistic.slot ||
    (attested.slot === store.optimistic.slot && attested.signers > store.optimistic.signers)
  let { current } = store
  let nextCommittee = store.next
  const decodeNext = (): Committee | null =>
    next === null ? null : { root: next.root, points: decompress(next.keys) }
  const isLater = finalized !== null && finalized.slot > store.finalized.slot
  if (isLater && found.finalizedPeriod === storePeriod + 1 && nextCommittee !== null) {
    current = nextCommittee
    nextCommittee = decodeNext()
  } else if (isLater || bringsNext(store, found)) {
    nextCommittee ??= decodeNext()
  }
  // The checkpoint's header has no signers until a committee finalizes it.
  const isSame = finalized !== null && equalBytes(finalized.root, store.finalized.root)
  const isStronger = isSame && finalized.signers > store.finalized.signers
  const final = isLater || isStronger ? finalized : store.finalized
  const optimistic = isBetter ? attested : store.optimistic
  return {
    store: { finalized: final, optimistic, current, next: nextCommittee },
    outcome: isEquivocation ? 'equivocation' : 'applied',
  }
}

/** Implements `is_valid_light_client_header`. Returns the layout of the header's fork. */
function checkHeader(spec: BeaconSpec, header: LightHeader): ForkLayout {
  const fork = forkAt(spec, header.beacon.slot)
  if (fork === null) throw new InvalidData('header')
  insist('header', isHeader(header, fork))
  return layouts[fork.name]
}

function isHeader(
  { beacon, blockHash, executionLeaves, executionBranch }: LightHeader,
  { name }: BeaconFork,
): boolean {
  const { execution, executionLeaves: count, blockHash: hashIndex } = layouts[name]
  if (executionLeaves === null) {
    return isBranch(blockHash, executionBranch, hashIndex, beacon.bodyRoot)
  }
  // A header from before Deneb in Deneb's form has zeros for the new members.
  const isZero = executionLeaves.slice(count).every((leaf) => equalBytes(leaf, zero))
  if (execution === null || executionLeaves.length < count || !isZero) return false
  const root = rootOfNodes(executionLeaves.slice(0, count))
  return isBranch(root, executionBranch, execution, beacon.bodyRoot)
}

function isEmptyHeader({ beacon, blockHash, executionBranch, ...header }: LightHeader): boolean {
  const { slot, proposerIndex, parentRoot, stateRoot, bodyRoot } = beacon
  const roots = [parentRoot, stateRoot, bodyRoot, blockHash, ...executionBranch]
  if (slot !== 0 || proposerIndex !== 0n || !isZeroBranch(roots)) return false
  const emptyLeaves = [zero, hashPair(zero, zero), rootOfBytes(new Uint8Array(256))]
  return (header.executionLeaves ?? []).every((leaf) =>
    emptyLeaves.some((empty) => equalBytes(empty, leaf)),
  )
}

function isEmptyCommittee({ keys, aggregate }: CommitteeKeys): boolean {
  return [...keys, ...aggregate].every((byte) => byte === 0)
}

function insist(rule: Rule, holds: boolean): asserts holds {
  if (!holds) throw new InvalidData(rule)
}
