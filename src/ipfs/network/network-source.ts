// The source of blocks from the IPFS network: tracks wants of reads that may search the network, until the net thread answers.
// content/ verifies the results.
// Tested by test/network/network-process.test.ts
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import { decodeMultihash } from '../../codec/ipld/multihash.ts'
import type { Offer, Source } from '../../content/source.ts'
import type { ContentRef } from '../../content/ref.ts'
import type { ToThread, FromThread } from './thread-messages.ts'

type Pending = {
  readonly account: string
  readonly cid: Uint8Array
  readonly ref: ContentRef
  readonly offer: Offer
  resolve(): void
  reject(error: unknown): void
}

type FailReason = Extract<FromThread, { kind: 'failed' }>['reason']

const reasons: Readonly<Record<Exclude<FailReason, 'overloaded'> | 'ended', string>> = {
  timeout: 'peers of the IPFS network did not send the block in time',
  noPeer: 'no peer of the IPFS network that has the block was found or could be reached',
  busy: 'the IPFS network process has too many sessions or requests',
  ended: 'the IPFS network process ended and will be restarted',
}

/** `ended`: there is no network process. */
export function networkFault(reason: FailReason | 'ended'): Fault {
  const cause = new Error(reason)
  if (reason === 'overloaded') return new Fault('overloaded', { cause })
  return new Fault('no_upstream', { detail: `no source reachable: ${reasons[reason]}`, cause })
}

export type NetworkWants = {
  readonly source: Source
  readonly size: number
  /** CIDs of pending wants; null: of all accounts. */
  of(account: string | null): readonly Uint8Array[]
  found(id: number, bytes: Uint8Array): void
  none(id: number): void
  failed(id: number, reason: FailReason): void
  /** Fails all wants because the thread has ended. */
  failAll(): void
}

/** `post`: returns false while there is no thread. */
export function createNetworkSource(parts: {
  readonly post: (message: ToThread) => boolean
  readonly newId: () => number
  readonly log: Log
}): NetworkWants {
  const { post, newId, log } = parts
  /** Bounded by the concurrent fetches of content/. */
  const pending = new Map<number, Pending>()

  function remove(id: number): Pending | null {
    const want = pending.get(id) ?? null
    pending.delete(id)
    return want
  }

  return {
    source: {
      name: 'network',
      async fetch({ ref, hint, hints }, offer, signal) {
        const session = hint.session ?? hints().find((one) => one.session !== undefined)?.session
        if (ref.kind !== 'dag-block' || session === undefined) return
        signal.throwIfAborted()
        // CIDs that Cairn refuses are never requested from the network either.
        decodeMultihash(ref.hash)
        const cid = cidOf(1, hint.codec ?? rawCodec, ref.hash).bytes
        const id = newId()
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        const { account, root, origins = [] } = session
        pending.set(id, { account, cid, ref, offer, resolve, reject })
        const leave = (): void => {
          if (remove(id) === null) return
          post({ kind: 'drop', id })
          reject(signal.reason as Error)
        }
        signal.addEventListener('abort', leave, { once: true })
        try {
          if (!post({ kind: 'want', id, account, root, cid, origins })) throw networkFault('ended')
          await promise
        } finally {
          pending.delete(id)
          signal.removeEventListener('abort', leave)
        }
      },
    },
    get size() {
      return pending.size
    },
    of: (account) =>
      [...pending.values()]
        .filter((want) => account === null || want.account === account)
        .map(({ cid }) => cid),
    found(id, bytes) {
      const want = remove(id)
      if (want === null) return
      // The process has already checked the peer's block, so the process or the channel is faulty.
      if (want.offer([{ ref: want.ref, bytes }]) === 'wrong') log('error', 'network_process_lied')
      want.resolve()
    },
    none: (id) => remove(id)?.resolve(),
    failed(id, reason) {
      remove(id)?.reject(networkFault(reason))
    },
    failAll() {
      for (const [id, want] of pending) {
        pending.delete(id)
        want.reject(networkFault('ended'))
      }
    },
  }
}
