// The content that one account can read with `files.isolation: own`: stored blocks that it holds by a pin or a lease, and blocks
// that a public source supplies. Blocks that only other accounts hold are reported as absent.
// Tested by test/keys/isolation.test.ts
import { Fault } from '../base/fault.ts'
import { setNewest } from '../base/lru-cache.ts'
import type { SequentialRead } from '../content/sequential-read.ts'
import { type ContentRef, type Obtain, refKey } from '../content/ref.ts'
import type { BlockStore, CopyChoice, ReadBatch } from '../content/block-store.ts'
import type { StorageReads } from './pins/account-storage.ts'

/** Shared by all accounts. `obtainOutside`: requests blocks from sources only and ignores the store. */
export type SharedContent = {
  readonly store: BlockStore
  readonly obtain: Obtain
  readonly obtainOutside: Obtain
  readonly readRun: SequentialRead
  readonly storedBy: StorageReads['storedBy']
}

export type AccountContent = {
  /** The parts of FilesSettings that differ for one account. */
  of(
    accountId: string,
  ): Pick<SharedContent, 'store' | 'obtain' | 'readRun'> & { readonly sharesRoots: false }
}

/**
 * Maximum number of remembered blocks that a source supplied recently: they are public, so all accounts may read the stored copy.
 */
const offeredMax = 100_000

export function createAccountContent(shared: SharedContent): AccountContent {
  const { store, obtain, obtainOutside, readRun, storedBy } = shared
  const offered = new Map<string, true>()

  return {
    of(accountId) {
      const isOffered = (ref: ContentRef): boolean => offered.has(refKey(ref))

      async function sees(ref: ContentRef): Promise<boolean> {
        if (isOffered(ref)) return true
        const stored = storedBy(accountId, [ref.hash])
        const [isStored = false] = stored instanceof Promise ? await stored : stored
        return isStored
      }

      const accountObtain: Obtain = async (ref, hint, signal) => {
        if (await sees(ref)) return await obtain(ref, hint, signal)
        if (hint.offline === true) throw new Fault('not_found')
        const bytes = await obtainOutside(ref, hint, signal)
        setNewest(offered, refKey(ref), true, offeredMax)
        return bytes
      }

      /** Reads runs of visible blocks from the store; yields null for the others. */
      async function* accountRun(
        refs: readonly ContentRef[],
        signal: AbortSignal,
      ): AsyncGenerator<ReadBatch> {
        const stored = await storedBy(
          accountId,
          refs.map(({ hash }) => hash),
        )
        const seen = refs.map((ref, at) => stored[at] === true || isOffered(ref))
        for (let from = 0; from < refs.length;) {
          let to = from + 1
          while (to < refs.length && seen[to] === seen[from]) to++
          if (seen[from] === true) yield* readRun(refs.slice(from, to), signal)
          else yield Array.from({ length: to - from }, () => null)
          from = to
        }
      }

      const accountStore: BlockStore = Object.assign(Object.create(store) as BlockStore, {
        get: async (ref: ContentRef, copy?: CopyChoice) =>
          (await sees(ref)) ? await store.get(ref, copy) : null,
        has: async (ref: ContentRef) => (await sees(ref)) && (await store.has(ref)),
        peek: undefined,
      })
      return { store: accountStore, obtain: accountObtain, readRun: accountRun, sharesRoots: false }
    },
  }
}
