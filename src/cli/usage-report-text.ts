// A usage report as text for people.
// Tested by test/cli/cli.test.ts
import type { Part, Sums } from '../access/usage/usage-row.ts'
import type { StorageSums } from '../ipfs/pins/account-storage.ts'
import { table } from './report.ts'

type Report = {
  /** Null: no window. */
  readonly window: string | null
  readonly from: number
  readonly until: number
  readonly totals: Part
  readonly holders: readonly (Part & { readonly id: string; readonly name: string })[]
  readonly methods: readonly (Part & { readonly face: string; readonly method: string })[]
  readonly reasons: readonly (Sums & { readonly outcome: string; readonly reason: string })[]
}

const numbers = ['requests', 'failed', 'units', 'bytes in', 'bytes out', 'p50', 'p95', 'p99']

/** `storage`: null = not reported. */
export function describeReport(report: Report, storage: StorageSums | null): string {
  const { window, from, until, totals, holders, methods, reasons } = report
  const time = (ms: number): string => new Date(ms).toISOString()
  const parts = [
    `${window === null ? '' : `${window}: `}from ${time(from)} to ${time(until)}`,
    table(numbers, [cells(totals)], ''),
    table(
      ['face', 'method', ...numbers],
      methods.map((part) => [part.face, part.method, ...cells(part)]),
      'No requests.',
    ),
    table(
      ['failed because', 'requests'],
      reasons.map(({ outcome, reason, requests }) => [
        reason === '' ? outcome : `${outcome}: ${reason}`,
        requests,
      ]),
      'No failed requests.',
    ),
  ]
  if (holders.length > 0) {
    const rows = holders.map((part) => [part.id, part.name, ...cells(part)])
    parts.push(table(['id', 'name', ...numbers], rows, ''))
  }
  if (storage !== null) {
    const { pins, logicalBytes, physicalBytes } = storage
    parts.push(`${pins} pins of ${logicalBytes} bytes, stored in ${physicalBytes}.`)
  }
  return parts.join('\n\n')
}

function cells({ requests, failed, units, bytesIn, bytesOut, latency }: Part): (string | number)[] {
  const ms = (value: number | undefined): string => (value === undefined ? '' : `${value} ms`)
  const times = [ms(latency?.p50Ms), ms(latency?.p95Ms), ms(latency?.p99Ms)]
  return [requests, failed, units, bytesIn, bytesOut, ...times]
}
