// Live list of requests, newest first.
import { formatBytes, formatMs, formatNumber } from '../../app/format.ts'
import { Badge, ProofBadge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/note.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { Row } from './use-requests.ts'

export function RequestList({
  requests,
  isFiltered,
  isLive,
  paused,
  onPause,
  onClear,
  onChoose,
}: {
  readonly requests: readonly Row[]
  readonly isFiltered: boolean
  readonly isLive: boolean
  readonly paused: boolean
  onPause(): void
  onClear(): void
  onChoose(id: number): void
}) {
  return (
    <Card
      flush
      title="Requests"
      actions={
        <>
          <span class="row soft" role="status">
            <span class={`live-dot${isLive ? ' on' : ''}`} />
            {paused ? 'Paused' : isLive ? 'Live' : 'Connecting'}
          </span>
          <button class="button small" type="button" onClick={onPause}>
            {paused ? 'Resume' : 'Pause'}
          </button>
          <button class="button small" type="button" onClick={onClear}>
            Clear requests
          </button>
        </>
      }
    >
      <Table
        caption="Requests, newest first"
        columns={columnsOf(onChoose)}
        keyOf={({ id }) => String(id)}
        rows={requests}
        empty={
          <Empty title={isFiltered ? 'No requests match' : 'No requests yet'}>
            {isFiltered
              ? 'No recorded request matches the filter.'
              : 'Send a call with this key. It shows up here.'}
          </Empty>
        }
      />
    </Card>
  )
}

function columnsOf(onChoose: (id: number) => void): readonly Column<Row>[] {
  return [
    {
      title: 'Method',
      cell: (row) => (
        <button class="request-link" type="button" onClick={() => onChoose(row.id)}>
          {nameOf(row)}
        </button>
      ),
    },
    { title: 'Time', cell: ({ time }) => <span class="mono">{clockTime(time)}</span> },
    { title: 'Network', cell: ({ network }) => network ?? 'IPFS API' },
    { title: 'Outcome', cell: (row) => <OutcomeBadge row={row} /> },
    {
      title: 'Verification',
      cell: ({ verified }) => (verified === null ? '–' : <ProofBadge label={verified} />),
    },
    { title: 'Took', number: true, cell: ({ ms }) => formatMs(ms) },
    { title: 'Units', number: true, cell: ({ units }) => formatNumber(units) },
    { title: 'Response', number: true, cell: ({ bytesOut }) => formatBytes(bytesOut) },
  ]
}

/** Method of the request, or its kind. */
export function nameOf({ method, batch }: Pick<Row, 'method' | 'batch'>): string {
  if (batch !== null) return `batch of ${batch}`
  return method === '' ? 'refused before reading' : method
}

export function OutcomeBadge({
  row,
}: {
  readonly row: Pick<Row, 'outcome' | 'reason' | 'errorCode'>
}) {
  const { outcome, reason, errorCode } = row
  if (outcome === 'ok') return <Badge tone="good">ok</Badge>
  const answered = outcome === 'reverted' || outcome === 'upstream_said'
  return (
    <Badge tone={answered ? 'warn' : 'bad'}>
      {errorCode !== null && `${errorCode} `}
      {reason === null ? outcome : `${outcome}: ${reason}`}
    </Badge>
  )
}

/** `14:05:01.250`, UTC. */
function clockTime(time: number): string {
  return new Date(time).toISOString().slice(11, 23)
}
