// A ref with waiting readers, while one or more calls may supply it. The wait ends when the ref is taken, when
// all those calls have ended, or when the reader leaves.
// Tested by src/chain/upstream/source/fetch-proof.test.ts
import type { ContentRef, FetchContext } from '../../../content/ref.ts'
import type { Asked, Offer } from '../../../content/source.ts'

export type PendingRead = {
  readonly ref: ContentRef
  /** Of all waiting readers. */
  hints(): readonly FetchContext[]
  readonly isWaiting: boolean
  /** All readers have left before it was taken. */
  readonly hasLeft: boolean
  /**
   * Rejects with the fault of a call if none supplied it and one ended with a fault, or with the reader's abort reason.
   */
  readonly ended: Promise<void>
  offer(nodes: readonly Uint8Array[]): void
  /** One more call may supply it. */
  callStarted(): void
  /** `fault` null: that call found nothing and no fault. */
  callEnded(fault: unknown): void
  leave(reason: unknown): void
}

export function createPendingRead(
  { ref, hints }: Pick<Asked, 'ref' | 'hints'>,
  offer: Offer,
): PendingRead {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let state: 'waiting' | 'taken' | 'over' | 'left' = 'waiting'
  let calls = 0
  let firstFault: unknown = null
  return {
    ref,
    hints,
    get isWaiting() {
      return state === 'waiting'
    },
    get hasLeft() {
      return state === 'left'
    },
    ended: promise,
    offer(nodes) {
      if (state === 'left') return
      try {
        if (offer(nodes.map(asNode)) !== 'taken' || state !== 'waiting') return
        state = 'taken'
        resolve()
      } catch (thrown) {
        state = 'over'
        reject(thrown as Error)
      }
    },
    callStarted() {
      calls += 1
    },
    callEnded(fault) {
      calls -= 1
      firstFault ??= fault
      if (calls > 0 || state !== 'waiting') return
      state = 'over'
      if (firstFault === null) resolve()
      else reject(firstFault as Error)
    },
    leave(reason) {
      if (state === 'waiting') state = 'left'
      reject(reason as Error)
    },
  }
}

function asNode(bytes: Uint8Array) {
  return { kind: 'trie-node', bytes } as const
}
