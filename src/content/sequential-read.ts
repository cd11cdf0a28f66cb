// Reads stored content in groups, each piece verified before it is returned: used for large files. While the caller processes one
// group, the other thread verifies only the next one; on request, this thread verifies what is left. Missing or corrupt content is
// null: `obtain` reads it again or fetches it.
import { setImmediate } from 'node:timers/promises'
import type { Log } from '../base/log.ts'
import { type ContentRef, type Verify, refKey } from './ref.ts'
import type { BlockStore, ReadBatch, StoredChunk } from './block-store.ts'

export type RunParts = {
  readonly store: Pick<BlockStore, 'read'>
  readonly verify: Verify
  /** The same for a dag-pb leaf, of which only the file bytes are stored. */
  readonly verifyLeaf: (multihash: Uint8Array, data: Uint8Array) => void
  /**
   * Starts to verify a large piece on another thread. The returned function finishes it, and throws or rejects like the synchronous
   * checks. The property is null with a single processor; the function returns null for a piece that is too small.
   */
  readonly verifyInParallel:
    | ((
        multihash: Uint8Array,
        data: Uint8Array,
        leaf: boolean,
      ) => (() => Promise<void> | null) | null)
    | null
  readonly log: Log
  readonly count: (event: 'held' | 'misread', source: null) => void
}

/**
 * The content of `refs`, in order, in the groups of `BlockStore.read`; a group is valid until the next is requested.
 * Null: missing, corrupt or unreadable; the caller continues with `obtain`. Throws the store's error, and the reason of
 * `signal`.
 */
export type SequentialRead = (
  refs: readonly ContentRef[],
  signal: AbortSignal,
) => AsyncGenerator<ReadBatch>

/** Returns whether the piece is valid. */
type FinishCheck = () => boolean | Promise<boolean>
/** `refs` from `from` on correspond to `group`; a check is null if this thread has to verify the piece. */
type Begun = {
  readonly refs: readonly ContentRef[]
  readonly from: number
  readonly group: ReadBatch
  readonly checks: readonly (FinishCheck | null)[]
}

export function createSequentialRead(parts: RunParts): SequentialRead {
  const { store, verify, verifyLeaf, verifyInParallel, log, count } = parts
  function isValid(ref: ContentRef, { data, leaf }: StoredChunk): boolean {
    try {
      if (leaf) verifyLeaf(ref.hash, data)
      else verify(ref, data)
      return countVerified()
    } catch (error) {
      return misread(ref, error)
    }
  }

  /** Null: this thread has to verify it. */
  function begin(ref: ContentRef, { data, leaf }: StoredChunk): FinishCheck | null {
    if (ref.kind !== 'dag-block') return null
    const finish = verifyInParallel?.(ref.hash, data, leaf) ?? null
    if (finish === null) return null
    const failed = (error: unknown): false => misread(ref, error)
    return () => {
      try {
        const proof = finish()
        return proof === null ? countVerified() : proof.then(countVerified, failed)
      } catch (error) {
        return failed(error)
      }
    }
  }

  function countVerified(): true {
    count('held', null)
    return true
  }

  function misread(ref: ContentRef, error: unknown): false {
    count('misread', null)
    log('warn', 'content_misread', { ref: refKey(ref), error })
    return false
  }

  function beginAll(refs: readonly ContentRef[], from: number, group: ReadBatch): Begun {
    const checks = group.map((piece, at) => {
      const ref = refs[from + at]
      return piece === null || ref === undefined ? null : begin(ref, piece)
    })
    return { refs, from, group, checks }
  }

  async function finish({ refs, from, group, checks }: Begun): Promise<ReadBatch> {
    const all: (boolean | Promise<boolean>)[] = []
    // From the end, because the other thread begins with the first.
    for (let at = group.length - 1; at >= 0; at -= 1) {
      const [ref, piece] = [refs[from + at], group[at] ?? null]
      all[at] = piece === null || ref === undefined || (checks[at]?.() ?? isValid(ref, piece))
    }
    const wrong = new Set<number>()
    for (const [at, each] of all.entries()) if (each !== true && !(await each)) wrong.add(at)
    if (wrong.size === 0) return group
    return group.map((piece, at) => (wrong.has(at) ? null : piece))
  }

  return async function* readRun(refs, signal) {
    const groups = store.read(refs, signal)
    let started = 0
    let ahead: Promise<Begun | null> | null = null

    /** Null: all groups were returned. */
    async function next(): Promise<Begun | null> {
      if (started === refs.length) return null
      const step = await groups.next()
      signal.throwIfAborted()
      const from = started
      const group = step.done === true ? refs.slice(from).map(() => null) : step.value
      started += group.length
      return beginAll(refs, from, group)
    }

    try {
      for (;;) {
        const begun: Begun | null = await (ahead ?? next())
        if (begun === null) return
        ahead = next()
        // If its bytes are in memory, the other thread starts first, in parallel with the remaining work of this thread. An error
        // is thrown when the group is requested; until then it must not be an unhandled rejection.
        await Promise.race([ahead.catch(() => null), setImmediate()])
        const group = await finish(begun)
        signal.throwIfAborted()
        yield group
      }
    } finally {
      const left = await ahead?.catch(() => null)
      // The bytes must stay valid until no check reads them.
      if (left) await finish(left)
      await groups.return(undefined)
    }
  }
}
