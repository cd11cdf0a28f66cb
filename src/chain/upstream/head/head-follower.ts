// The Head of a network of upstreams: requests the head of each, proves the headers, and applies the rule of
// choose-head.ts. The head never goes back while its block is canonical, follows reorgs immediately, and expires if no
// upstream has confirmed its block recently.
import type { Clock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import { equalBytes, toHex } from '../../../base/hex.ts'
import type { Log } from '../../../base/log.ts'
import type { Header } from '../../../codec/ethereum/header.ts'
import { fetched, type Read } from '../../read.ts'
import type { Anchor, BlockRef, Head, HeadUpdate, TransactionHint } from '../../head.ts'
import { blockAt, createBlockTree, isOnBranch, type TreeBlock } from './block-tree.ts'
import { createCanonicalBlocks } from './canonical-blocks.ts'
import { chooseHead } from './choose-head.ts'
import { type ConsensusWitness, createConsensusSource } from './consensus-source.ts'
import { createFinality, type FinalityTag, finalityTags } from './finality.ts'
import { fetchBlockName, type HeadSource } from './head-source.ts'
import { createHeadVotes } from './head-votes.ts'
import type { HeadSettings } from './head-settings.ts'
import type { NumberedBlocks } from './numbered-blocks.ts'
import { createFetchBranch } from './fetch-branch.ts'
import { missingHead } from './missing-head.ts'
import { createFetchHead } from './fetch-head.ts'

export type HeadFollowerParts = {
  readonly network: string
  readonly sources: readonly HeadSource[]
  /** The light client; absent: the head comes from votes alone. */
  readonly consensus?: ConsensusWitness | undefined
  readonly settings: HeadSettings
  /** A header by hash, proved. Throws if no upstream has it. */
  readonly header: (hash: Uint8Array, signal: AbortSignal) => Promise<Header>
  /** Source of canonical blocks older than those in memory. */
  readonly older: NumberedBlocks
  readonly locate: (
    transactionHash: Uint8Array,
    signal: AbortSignal,
  ) => AsyncIterable<TransactionHint>
  readonly clock: Clock
  readonly log: Log
}

export type HeadFollower = Head & {
  /** Resolves with the first head, or after one request to each upstream. */
  readonly started: Promise<void>
  /** Polls all upstreams now, and waits for running polls. Never rejects. */
  poll(): Promise<void>
  /** Milliseconds since the head's last confirmation; null without a head. For health and metrics. */
  age(): number | null
  stop(): void
}

/** Blocks cached by number, and the maximum depth of a reorg. */
export const windowBlocks = 256
/** Size of the tree at which branches are pruned, even while polls run. */
const treeBlocksMax = 16_384
/** Maximum time that a caller waits for a block that is not known yet. */
const newsMs = 1_000
/** Polls per request for `safe` and `finalized`, which move once in many blocks. */
const pollsPerFinality = 8
/** How long a head of another branch waits for the tags of the upstream that reported it. */
const tagsMs = 500
/** Maximum polls of an upstream that pushed a block, until it returns that block; and the delay between them. */
const looksMax = 3
const againMs = 150
/** Minimum time between polls of the upstreams without push after pushed blocks. */
const othersMs = 250

export function createHeadFollower(parts: HeadFollowerParts): HeadFollower {
  const { network, sources: voters, consensus, settings, clock, log } = parts
  const sources = consensus ? [createConsensusSource(consensus), ...voters] : voters
  const { consensusRequired: isConsensusRequired = false } = settings
  const aheadMax = consensus?.aheadMax ?? 0
  const tree = createBlockTree()
  const canonical = createCanonicalBlocks(network, tree, windowBlocks)
  const headVotes = createHeadVotes({ sources, ...settings, clock })
  const reach = createFetchBranch(tree, parts.header)
  const reachHead = createFetchHead(tree, canonical, reach)
  const finality = createFinality({
    network,
    quorum: Math.min(settings.quorum, voters.length),
    upstreams: voters.length,
    numberOf: async (hash, signal) =>
      (tree.find(hash) ?? (await parts.header(hash, signal))).number,
    onRollback() {
      log('warn', 'finalized_rolled_back', { network })
      parts.older.forget()
    },
  })
  const listeners = new Set<(change: HeadUpdate) => void>()
  const polling = new Map<HeadSource, Promise<void>>()
  const ending = new AbortController()
  let confirmedAt: number | null = null
  let polls = 0
  /** After a reorg, tags are requested with each poll up to this number. */
  let tagPolls = 0
  let deepening = false
  /** Lowest number below the head that was requested and is not known yet. */
  let lowestRequested: bigint | null = null
  /** Time of the last poll of upstreams without push because of a pushed block. */
  let othersAt = -othersMs
  /** All upstreams were polled once. Before that it is unknown whether too few agree. */
  let allPolled = false

  async function pollSource(source: HeadSource, withTags: boolean): Promise<void> {
    const { signal } = ending
    try {
      const latest = await fetchBlockName(source, 'latest', signal)
      if (latest !== null) {
        const block = await reachHead(source, latest.hash, signal)
        // Its tags are requested first, so that they change together with the head.
        if (isApart(block)) await untilLate(finality.fetchTags(source, signal))
        headVotes.note(source, latest)
      }
      // The light client's tags are in memory.
      if (withTags || source.anchorOf !== undefined) {
        // The first head is selected from the replies of all upstreams, not of the fastest alone.
        if (canonical.latest !== null) settle()
        await finality.fetchTags(source, signal)
      }
    } catch (error) {
      // If no upstream has the header of a signed block yet, the previous one stays the head.
      if (source.anchorOf === undefined) headVotes.forget(source)
      if (!signal.aborted) log('debug', 'head_not_asked', { network, upstream: source.name, error })
    }
    settle()
    // This may drop a branch that is being added; its upstream is then polled again. So slow or faulty upstreams cannot fill the
    // memory.
    if (tree.size > treeBlocksMax) cutTree()
  }

  /** True if it is on another branch than the head. */
  function isApart(block: TreeBlock): boolean {
    const { latest } = canonical
    if (latest === null) return false
    return block.number < latest.number
      ? !isOnBranch(tree, latest.hash, block)
      : !isOnBranch(tree, block.hash, latest)
  }

  /** Resolves with `work`, or after `tagsMs`. */
  async function untilLate(work: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopTimer = clock.after(tagsMs, resolve)
    await Promise.race([work, promise])
    stopTimer()
  }

  /** Drops blocks that are on no branch of a reported head. */
  function cutTree(): void {
    const heads = [...headVotes.hashes()]
    if (canonical.latest !== null) heads.push(canonical.latest.hash)
    tree.retain(heads, 2 * windowBlocks)
  }

  /** Never throws, whatever the votes are, because no caller would handle the error. */
  function settle(): void {
    try {
      decide()
    } catch (error) {
      log('error', 'head_not_settled', { network, error })
    }
  }

  function decide(): void {
    const currentVotes = headVotes.current()
    const { latest } = canonical
    const { quorum } = settings
    const rule = { quorum, upstreams: voters.length, aheadMax, isConsensusRequired }
    const expired = isExpired()
    // Several upstreams that disagree do not count as a single vote: one of them may have invented its chain.
    const votes = currentVotes.filter((vote) => vote.anchor === null)
    const isSingle = votes.length < Math.min(quorum, voters.length)
    const chosen =
      chooseHead(currentVotes, tree, rule, latest?.hash ?? null) ??
      (allPolled && expired && isSingle && !settings.quorumRequired
        ? chooseHead(currentVotes, tree, { ...rule, quorum: 1 }, latest?.hash ?? null)
        : null)
    if (chosen === null) return
    const { block, anchor } = chosen
    if (undoesFinal(block, anchor)) return
    const isBehind =
      latest !== null && block.number < latest.number && isOnBranch(tree, latest.hash, block)
    // A lagging node is not a reorg, and the head does not go back for it.
    if (isBehind && !expired) return
    const signedMs = anchor.startsWith('consensus') ? (consensus?.ageMs() ?? 0) : 0
    confirmedAt = clock.monotonic() - signedMs
    if (latest === null || !equalBytes(latest.hash, block.hash) || latest.anchor !== anchor) {
      const change = canonical.moveTo(block, anchor)
      if (change.removed.length > 0) {
        finality.reorganise(change.isJoined)
        // The common ancestor is below the blocks in memory, so older cached blocks may belong to either branch.
        if (!change.isJoined) parts.older.forget()
        tagPolls = polls + pollsPerFinality
        const depth = change.removed.length
        log('info', 'head_reorganised', { network, depth, hash: toHex(block.hash) })
      }
      settleTags(currentVotes)
      if (change.added.length + change.removed.length > 0) notify(change)
    }
    for (const { source, hash } of currentVotes) {
      const number = tree.find(hash)?.number ?? 0n
      source.setLag(Math.max(0, Number(block.number - number)), number)
    }
    settleTags(currentVotes)
    void deepen()
  }

  function settleTags(currentVotes: readonly { readonly source: HeadSource }[]): void {
    if (canonical.latest === null) return
    const speaking = new Set(currentVotes.map(({ source }) => source))
    if (isConsensusRequired) for (const voter of voters) speaking.delete(voter)
    finality.settle(canonical.latest, speaking, canonical.find)
  }

  /**
   * One untrusted upstream alone cannot undo a block that a quorum or a trusted upstream reported as final, and no vote
   * undoes one that the sync committee finalized.
   */
  function undoesFinal(block: TreeBlock, anchor: Anchor): boolean {
    const final = finality.find('finalized')
    if (final === null || final.anchor === 'single') return false
    const isSigned = final.anchor?.startsWith('consensus') === true
    if (!isSigned && (voters.length === 1 || anchor !== 'single')) return false
    if (blockAt(tree, block.hash, final.number) === null) return block.number < final.number
    return !isOnBranch(tree, block.hash, final)
  }

  /** Adds the branch of the head down to the tags and the requested numbers, once: parent links prove them. */
  async function deepen(): Promise<void> {
    const { latest } = canonical
    if (latest === null || deepening) return
    const tags = finalityTags.flatMap((tag) => finality.find(tag)?.number ?? [])
    const floor = [...tags, ...(lowestRequested === null ? [] : [lowestRequested])]
      .filter((number) => canonical.find(number) === null && latest.number - number < windowBlocks)
      .reduce<bigint | null>((least, one) => (least === null || one < least ? one : least), null)
    lowestRequested = null
    if (floor === null) return
    deepening = true
    try {
      await reach.descend(latest.hash, floor, ending.signal)
      canonical.extend()
      settleTags(headVotes.current())
    } catch (error) {
      if (!ending.signal.aborted) log('debug', 'head_not_deepened', { network, error })
    } finally {
      deepening = false
    }
  }

  function notify(change: HeadUpdate): void {
    for (const listener of listeners) {
      try {
        listener(change)
      } catch (error) {
        log('error', 'head_listener_failed', { network, error })
      }
    }
  }

  function isExpired(): boolean {
    return confirmedAt === null || clock.monotonic() - confirmedAt > settings.maxAgeMs
  }

  function begin(source: HeadSource, withTags: boolean): Promise<void> {
    const running = pollSource(source, withTags).finally(() => polling.delete(source))
    polling.set(source, running)
    return running
  }

  /** `source` pushed a block: requests its head, as in a poll, with the same proofs. */
  async function look(source: HeadSource, hash: Uint8Array): Promise<void> {
    for (let looks = 0; looks < looksMax && source.usable && !ending.signal.aborted; looks += 1) {
      if (isPassed(source, hash)) break
      // Behind a load balancer another node may answer, which receives the block a moment later.
      if (looks > 0) await pause(againMs)
      // A running request may have been sent before the block existed.
      await polling.get(source)
      await (polling.get(source) ?? begin(source, false))
    }
    await lookAtOthers(hash)
  }

  /** True if the last head of `source` is above this block: in a reorg each block of the new branch is pushed. */
  function isPassed(source: HeadSource, hash: Uint8Array): boolean {
    const vote = headVotes.current().find((one) => one.source === source)
    const block = tree.find(hash)
    return vote !== undefined && block !== null && isOnBranch(tree, vote.hash, block)
  }

  /** If the head requires more than one upstream, polls those without push too, at a limited rate. */
  async function lookAtOthers(hash: Uint8Array): Promise<void> {
    const block = tree.find(hash)
    if (
      block !== null &&
      canonical.latest !== null &&
      isOnBranch(tree, canonical.latest.hash, block)
    )
      return
    if (clock.monotonic() - othersAt < othersMs) return
    othersAt = clock.monotonic()
    const others = sources.filter((source) => source.isPushing !== true && !polling.has(source))
    await Promise.all(others.map((source) => begin(source, false)))
  }

  async function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    clock.after(ms, resolve)
    await promise
  }

  async function poll(): Promise<void> {
    const withTags = polls++ % pollsPerFinality === 0 || polls <= tagPolls
    await Promise.all(sources.map((source) => polling.get(source) ?? begin(source, withTags)))
    if (canonical.latest === null) await reach.overlap(headVotes.hashes(), ending.signal)
    allPolled = true
    settle()
    if (polling.size === 0) cutTree()
  }

  function latest(): BlockRef {
    const head = canonical.latest
    const refusal = consensus?.refusal() ?? null
    if (refusal !== null) throw new Fault('unverified', { detail: `${network}: ${refusal}` })
    if (head !== null && !isExpired()) return head
    throw missingHead({ ...parts, hasVotes: headVotes.current().length > 0 })
  }

  function* byNumber(number: bigint): Read<BlockRef | null> {
    const head = latest()
    if (number === head.number) return head
    const found = canonical.find(number)
    if (found !== null || number < 0n || number > head.number) return found
    if (head.number - number < windowBlocks) {
      if (lowestRequested === null || number < lowestRequested) lowestRequested = number
      void deepen()
    }
    return yield* fetched((signal) => parts.older.get(number, head, signal))
  }

  function tagOf(tag: FinalityTag): BlockRef | null {
    latest()
    return finality.find(tag)
  }

  /** Polls, and waits until the head is at `number`, all have answered, or `newsMs` have passed. */
  async function waitFor(number: bigint): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopTimer = clock.after(newsMs, resolve)
    const look = (): void => {
      if ((canonical.latest?.number ?? 0n) >= number) resolve()
    }
    listeners.add(look)
    try {
      void poll().then(resolve)
      await promise
    } finally {
      stopTimer()
      listeners.delete(look)
    }
  }

  const stopPolling = clock.every(settings.pollMs, () => void poll())
  const first = Promise.withResolvers<void>()
  listeners.add(() => first.resolve())
  void poll().then(first.resolve)
  for (const source of sources) source.watchHeads?.((hash) => look(source, hash))

  return {
    started: first.promise,
    poll,
    latest,
    safe: () => tagOf('safe'),
    finalized: () => tagOf('finalized'),
    byNumber,
    *isCanonical(hash, number) {
      // An upstream may already have a new block.
      if (number > latest().number) yield* fetched(() => waitFor(number))
      const block = yield* byNumber(number)
      return block !== null && equalBytes(block.hash, hash)
    },
    locate: parts.locate,
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    age: () => (confirmedAt === null ? null : clock.monotonic() - confirmedAt),
    stop() {
      stopPolling()
      ending.abort(new Fault('shutting_down'))
    },
  }
}
