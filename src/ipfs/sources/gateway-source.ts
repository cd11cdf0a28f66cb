// The configured gateways as one Source: sends the request to the gateway with the best score, and to the next one if that is slow,
// does not have the block, fails or returns wrong bytes. The first valid block wins, and the other requests are aborted.
import type { CID } from 'multiformats/cid'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import { decodeMultihash } from '../../codec/ipld/multihash.ts'
import type { Offer, Source } from '../../content/source.ts'
import type { FileSource } from './file-source.ts'

type Parts = { readonly clock: Clock; readonly log: Log }

/**
 * Supplies only file blocks. Rejects with `no_upstream` if no source had the block and at least one request failed: a failed
 * request does not prove that the block is absent.
 */
export function createGatewaySource(gateways: readonly FileSource[], parts: Parts): Source {
  return {
    name: 'gateways',
    async fetch({ ref, hint }, offer, signal) {
      if (ref.kind !== 'dag-block') return
      // CIDs that Cairn refuses are never requested from gateways either.
      decodeMultihash(ref.hash)
      const cid = cidOf(1, hint.codec ?? rawCodec, ref.hash)
      const line = gateways
        .filter((gateway) => gateway.isAvailable())
        .toSorted((a, b) => a.score - b.score)
      if (line.length === 0) throw new Fault('no_upstream')
      await race(line, cid, (bytes) => offer([{ ref, bytes }]), parts, signal)
    },
  }
}

/** Created once: an exception for each block would cost more than the rest of its race. */
const isOver = new Error('another was quicker, or no read waits')

type Accept = (bytes: Uint8Array) => ReturnType<Offer>

async function race(
  line: readonly FileSource[],
  cid: CID,
  accept: Accept,
  { clock, log }: Parts,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const stop = over.signal
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let next = 0
  let underWay = 0
  let failure: unknown
  let stopTimer = (): void => {}

  function startNext(): void {
    stopTimer()
    const gateway = line[next]
    if (gateway === undefined) {
      if (underWay > 0) return
      if (failure === undefined) resolve()
      else reject(new Fault('no_upstream', { cause: failure }))
      return
    }
    next += 1
    underWay += 1
    if (next < line.length) stopTimer = clock.after(gateway.hedgeMs, startNext)
    void fetchFrom(gateway)
  }

  /** Never rejects. */
  async function fetchFrom(gateway: FileSource): Promise<void> {
    try {
      const bytes = await gateway.find(cid, stop)
      if (stop.aborted) return
      const verdict = bytes === null ? 'missing' : accept(bytes)
      if (verdict === 'taken') {
        resolve()
        return
      }
      if (verdict === 'wrong') {
        gateway.reportInvalid()
        log('warn', 'gateway_lied', { gateway: gateway.name, cid: cid.toString() })
      }
    } catch (thrown) {
      if (stop.aborted) return
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      log('debug', 'gateway_failed', { gateway: gateway.name, cid: cid.toString(), reason })
      failure ??= thrown
    }
    underWay -= 1
    startNext()
  }

  const leave = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', leave, { once: true })
  try {
    signal.throwIfAborted()
    startNext()
    await promise
  } finally {
    signal.removeEventListener('abort', leave)
    stopTimer()
    over.abort(isOver)
  }
}
