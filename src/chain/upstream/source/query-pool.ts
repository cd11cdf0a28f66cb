// One request to a pool, with the result of each upstream: absence, missing data, or an invalid reply. The results
// determine the error if no upstream supplied the content.
// Tested by src/chain/upstream/source/upstream-source.test.ts
import { Fault } from '../../../base/fault.ts'
import { toHex } from '../../../base/hex.ts'
import { Malformed } from '../../../codec/ethereum/rlp.ts'
import { UnsupportedTransaction } from '../../../codec/ethereum/transaction.ts'
import type { ContentKind } from '../../../content/ref.ts'
import { UpstreamError, type UpstreamErrorKind } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'
import type { UpstreamPool } from '../pool/upstream-pool.ts'
import type { DataKind } from '../node/history-depth.ts'
import type { AttemptOutcome, InvalidReplyEvidence } from '../pool/race-attempts.ts'

/** The members of a pool that this module uses. */
export type ContentPool = Pick<UpstreamPool, 'content' | 'upstreams'>

/**
 * `absent`: it reports that the block does not exist. `unproved`: it has the values, but cannot prove them at that depth, or at
 * all. `cannot`: it no longer has the content. `short`: an incomplete reply. `refused`: an error of its own. `failed`: no reply.
 */
type AttemptResult =
  | 'taken'
  | 'absent'
  | 'unproved'
  | 'cannot'
  | 'short'
  | 'refused'
  | 'failed'
  | InvalidReplyEvidence

/**
 * Result by upstream; only the last one of each counts. `failure`: the exception of the first `failed` result, for the log;
 * `refusal`: that of the first `refused` one.
 */
export type AttemptResults = ReadonlyMap<Upstream, AttemptResult> & {
  failure?: unknown
  refusal?: UpstreamError
}

export type PoolQuery = {
  readonly need: DataKind
  readonly number: bigint | null
  /** `short`: no part was invalid, but the requested content was missing. Throws UpstreamError, `Malformed`. */
  attempt(upstream: Upstream, signal: AbortSignal): Promise<AttemptOutcome | 'short'>
}

/** Rejects as `UpstreamPool.content`. */
export async function queryPool(
  pool: ContentPool,
  { need, number, attempt }: PoolQuery,
  signal: AbortSignal,
): Promise<AttemptResults> {
  const findings: Map<Upstream, AttemptResult> & { failure?: unknown; refusal?: UpstreamError } =
    new Map()
  await pool.content(
    { need, number },
    async (upstream, shared) => {
      try {
        const verdict = await attempt(upstream, shared)
        findings.set(upstream, typeof verdict === 'object' ? verdict.invalidReply : verdict)
        return verdict === 'short' ? 'failed' : verdict
      } catch (thrown) {
        const finding = findingOf(thrown)
        if (finding === null) throw thrown
        findings.set(upstream, finding)
        if (finding === 'failed') findings.failure ??= thrown
        if (finding === 'refused') findings.refusal ??= thrown as UpstreamError
        // The pool handles errors of calls itself: it updates the upstream's missing methods and data.
        if (thrown instanceof UpstreamError) throw thrown
        return finding === 'unproved' ? 'cannot' : 'failed'
      }
    },
    signal,
  )
  return findings
}

/** Errors with information about the request; all others have none. */
const findingsOfErrors: Readonly<Partial<Record<UpstreamErrorKind, AttemptResult>>> = {
  unknown_block: 'absent',
  not_canonical: 'absent',
  proof_window: 'unproved',
  unsupported: 'unproved',
  missing_state: 'cannot',
  pruned: 'cannot',
}

function findingOf(thrown: unknown): AttemptResult | null {
  if (thrown instanceof UnsupportedTransaction) return 'unproved'
  if (thrown instanceof Malformed) return 'short'
  if (!(thrown instanceof UpstreamError)) return null
  return findingsOfErrors[thrown.kind] ?? (thrown.isAboutCall ? 'refused' : 'failed')
}

/** Untrusted upstreams that must report an absence before Cairn accepts it. */
const absentMin = 2

export type QueryConclusion = {
  readonly network: string
  readonly kind: ContentKind
  readonly need: DataKind
  readonly blockHash: Uint8Array
  readonly number: bigint | null
  /** True: the reply of one untrusted upstream that the block does not exist is not sufficient. */
  readonly require: boolean
}

/**
 * Returns if the absence is established: the block does not exist, or no upstream still has the content of an existing block.
 * Otherwise throws: `unverified` if a reply was not the requested content (`data` names the differing root or hash) or too few
 * upstreams report that the block does not exist, `no_upstream` if one could not be queried, `unprovable` if the content can be
 * read but not proved.
 */
export function toFault(pool: ContentPool, findings: AttemptResults, about: QueryConclusion): void {
  const all = [...findings]
  const count = (finding: AttemptResult): number => all.filter(([, it]) => it === finding).length
  const block = toHex(about.blockHash)
  const tried = all.length
  if (count('taken') > 0 || (about.need === 'header' && isAbsent(all))) return
  const lie = all.map(([, finding]) => finding).find((finding) => typeof finding === 'object')
  if (lie !== undefined) {
    const { expected, computed } = lie
    const data = { block, tried, kind: about.kind, expected, computed }
    throw new Fault('unverified', { data })
  }
  if (count('short') > 0) throw new Fault('unverified', { data: { block, tried } })
  if (count('failed') > 0) {
    const detail = `no source reachable for ${about.network}`
    throw new Fault('no_upstream', { detail, cause: findings.failure })
  }
  if (count('unproved') > 0 || hasValues(pool, about)) {
    const what = about.need === 'proof' || about.need === 'code' ? 'state' : about.need
    const detail = `${what} at block ${block} can be read but not proved`
    throw new Fault('unprovable', { detail, data: { block, see: 'docs/guides/own-nodes.md' } })
  }
  const { refusal } = findings
  if (refusal !== undefined && count('refused') > 0) {
    // The error answers a call of Cairn, not of the client, so it is only in the data of the fault.
    const upstream = { code: refusal.code, message: refusal.message }
    throw new Fault('unverified', { data: { block, tried, upstream }, cause: refusal })
  }
  if (about.need === 'header') checkAbsence(count('absent'), about, { block, tried })
}

/** A missing header has no proof of absence. An upstream that cannot supply it has not reported it as absent either. */
function checkAbsence(
  absences: number,
  { require }: QueryConclusion,
  data: { readonly block: string; readonly tried: number },
): void {
  if (absences > 0 && !require) return
  const reason =
    absences > 0
      ? 'only one upstream reports that the block does not exist'
      : 'no upstream has the header of that block'
  throw new Fault('unverified', { detail: `no source could prove the answer: ${reason}`, data })
}

function isAbsent(findings: readonly (readonly [Upstream, AttemptResult])[]): boolean {
  const absent = findings.filter(([, finding]) => finding === 'absent')
  return absent.length >= absentMin || absent.some(([upstream]) => upstream.trusted)
}

/** Nodes store values longer than the tries that prove them, and return the same error for both. */
function hasValues({ upstreams }: ContentPool, { need, number }: QueryConclusion): boolean {
  if (need !== 'proof') return false
  return upstreams.some((one) => one.usable && one.can('state', number) === 'yes')
}
