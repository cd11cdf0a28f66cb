// The statements that write usage rows.
// Tested by src/access/usage/usage.test.ts
import { latencyColumns } from '../../db/migrations.ts'
import type { Statement } from '../../db/writer.ts'
import {
  type CallGroup,
  type LatencyAddition,
  type TransferAddition,
  type UsageAddition,
  type VerifiedAddition,
  addUsage,
} from '../../tables/usage-additions.ts'
import { startOfMonth } from './transfer-counts.ts'
import type { FlushedRow } from './usage-row.ts'

export function usageStatements(rows: readonly FlushedRow[]): readonly Statement[] {
  return addUsage({
    usage: rows.map(usageAddition),
    latencies: rows.flatMap(latencyAdditions),
    verified: rows.filter(isLabelled).map(verifiedAddition),
    transfers: rows.filter(isTransfer).map(transferAddition),
    keyUses: rows.map(({ keyId, minute }) => [keyId, minute]),
  })
}

function groupOf({ keyId, accountId, minute, face, network, method }: FlushedRow): CallGroup {
  return [keyId, accountId, minute, face, network, method]
}

function usageAddition(row: FlushedRow): UsageAddition {
  const { outcome, reason, status, requests, units, bytesIn, bytesOut } = row
  return [...groupOf(row), outcome, reason, status, requests, units, bytesIn, bytesOut]
}

/** One for each part of the histogram that is not empty. */
function latencyAdditions(row: FlushedRow): LatencyAddition[] {
  const { latency } = row
  if (latency === null) return []
  const parts: LatencyAddition[] = []
  const width = latencyColumns.length
  for (let from = 0; from < latency.length; from += width) {
    const counts = latency.slice(from, from + width)
    if (counts.every((count) => count === 0)) continue
    parts.push([...groupOf(row), from / width, ...padded(counts, width)])
  }
  return parts
}

function padded(counts: Readonly<Uint32Array>, width: number): number[] {
  return Array.from({ length: width }, (_, at) => counts[at] ?? 0)
}

function isLabelled({ verified, requests }: FlushedRow): boolean {
  return verified !== '' && requests > 0
}

function verifiedAddition(row: FlushedRow): VerifiedAddition {
  const { keyId, accountId, minute, network, verified, requests } = row
  return [keyId, accountId, minute, network, verified, requests]
}

function isTransfer({ face, bytesIn, bytesOut }: FlushedRow): boolean {
  return face === 'files' && bytesIn + bytesOut > 0
}

function transferAddition({ keyId, minute, bytesIn, bytesOut }: FlushedRow): TransferAddition {
  return [keyId, startOfMonth(minute), bytesIn, bytesOut]
}
