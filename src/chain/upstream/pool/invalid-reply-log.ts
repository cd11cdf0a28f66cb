// Log of invalid replies with their evidence: bytes that contradict a hash fixed by the request or by the head. The newest are
// stored in the database, so that `cairn upstreams` can show them while the server is stopped.
import type { Clock } from '../../../base/clock.ts'
import { toHex } from '../../../base/hex.ts'
import type { Log } from '../../../base/log.ts'
import type { Writer } from '../../../db/writer.ts'
import { insertInvalidReply, type InvalidReplyRow } from '../../../tables/invalid-replies.ts'
import type { Redact } from '../node/redact.ts'
import type { InvalidReplyEvidence } from './race-attempts.ts'

export type InvalidReply = InvalidReplyRow

export type InvalidReplyLog = {
  /** Never throws; a failed write is logged. */
  add(upstream: string, evidence: InvalidReplyEvidence, redact: Redact): void
  /** Resolves when every added reply is written or dropped. */
  idle(): Promise<void>
}

const ledgerLimits = {
  responseBytesMax: 256 * 1024,
  paramsBytesMax: 64 * 1024,
  rowsMax: 1000,
  /** Limits of pending writes, and of rows written per minute: many invalid replies must not fill memory, disk or log. */
  pendingMax: 64,
  perMinuteMax: 600,
} as const

export function createInvalidReplyLog(parts: {
  readonly network: string
  readonly writer: Writer
  readonly clock: Clock
  readonly log: Log
}): InvalidReplyLog {
  const { network, writer, clock, log } = parts
  const pendingWrites = new Set<Promise<void>>()
  let minute = 0
  let inMinute = 0

  function mayWrite(): boolean {
    const now = Math.floor(clock.monotonic() / 60_000)
    if (now !== minute) inMinute = 0
    minute = now
    return pendingWrites.size < ledgerLimits.pendingMax && inMinute++ < ledgerLimits.perMinuteMax
  }

  async function write(lie: InvalidReply): Promise<void> {
    try {
      await writer.write(insertInvalidReply(lie, ledgerLimits.rowsMax))
    } catch (error) {
      log('error', 'lie_not_written', { network, upstream: lie.upstream, error })
    }
  }

  return {
    add(upstream, evidence, redact) {
      const { method, expected, computed, blockHash } = evidence
      if (!mayWrite()) return
      const block = blockHash === null ? null : toHex(blockHash)
      log('error', 'upstream_lied', { network, upstream, method, block, expected, computed })
      const writing = write({
        time: clock.now(),
        network,
        upstream,
        method,
        params: shown(evidence.params, redact, ledgerLimits.paramsBytesMax),
        response: shown(evidence.response, redact, ledgerLimits.responseBytesMax),
        expected,
        computed,
        block,
      })
      pendingWrites.add(writing)
      void writing.finally(() => pendingWrites.delete(writing))
    },
    async idle() {
      await Promise.all(pendingWrites)
    },
  }
}

/**
 * Truncates twice: before the redaction to keep it fast, and again after it. The second truncation removes a secret that the first
 * one has split.
 */
function shown(value: unknown, redact: Redact, bytesMax: number): string {
  return cut(redact(cut(spell(value), 2 * bytesMax)), bytesMax)
}

function spell(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    // Nested too deeply to serialize.
    return '"not spelled: nested too deep"'
  }
}

function cut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= bytesMax ? text : bytes.toString('utf8', 0, bytesMax)
}
