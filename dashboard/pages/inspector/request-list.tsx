// List of requests, newest first; the arrow keys move the selection.
import { formatMs } from '../../app/format.ts'
import { outcomeTitle, outcomeTone } from '../../app/outcome.ts'
import { ProofBadge, State } from '../../ui/badge.tsx'
import { Empty } from '../../ui/note.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { Row } from './use-requests.ts'

export function RequestList({
  requests,
  isFiltered,
  filteredBy,
  chosen,
  onChoose,
  onClearFilter,
}: {
  readonly requests: readonly Row[]
  readonly isFiltered: boolean
  /** A change of the filter returns to the first page. */
  readonly filteredBy: string
  readonly chosen: number | null
  onChoose(id: number): void
  onClearFilter(): void
}) {
  const at = requests.findIndex(({ id }) => id === chosen)
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || at === -1) return
    const next = requests[at + step]
    if (next === undefined) return
    event.preventDefault()
    onChoose(next.id)
  }
  return (
    <div class="split-list" onKeyDown={move}>
      <Table
        caption="Requests, newest first"
        dense
        pageSize={50}
        filteredBy={filteredBy}
        columns={columnsOf(onChoose, chosen !== null)}
        keyOf={({ id }) => String(id)}
        rows={requests}
        isSelected={({ id }) => id === chosen}
        empty={
          isFiltered ? (
            <Empty
              title="No requests match"
              action={
                <button class="button" type="button" onClick={onClearFilter}>
                  Clear filters
                </button>
              }
            />
          ) : (
            <Empty icon="inspector" title="No requests yet">
              Send a call with this key. It shows up here.
            </Empty>
          )
        }
      />
    </div>
  )
}

/** `isNarrow`: the details are shown next to the list. */
function columnsOf(onChoose: (id: number) => void, isNarrow: boolean): readonly Column<Row>[] {
  const columns: readonly (Column<Row> | null)[] = [
    {
      title: 'Method',
      cell: (row) => (
        <button class="request-link mono" type="button" onClick={() => onChoose(row.id)}>
          {nameOf(row)}
        </button>
      ),
    },
    {
      title: 'Time, UTC',
      cell: ({ time }) => (
        <span class="mono soft">
          {clockTime(time).slice(0, 8)}
          <span class="fraction">{clockTime(time).slice(8)}</span>
        </span>
      ),
    },
    {
      title: 'Network',
      ...(isNarrow ? { hides: 'extra' as const } : {}),
      cell: ({ network }) => network ?? 'IPFS API',
    },
    { title: 'Outcome', keep: true, cell: (row) => <OutcomeState row={row} /> },
    isNarrow
      ? null
      : {
          title: 'Verification',
          hides: 'extra',
          cell: ({ verified }) => (verified === null ? '–' : <ProofBadge label={verified} />),
        },
    { title: 'Took', number: true, unit: '', cell: ({ ms }) => formatMs(ms) },
  ]
  return columns.filter((column) => column !== null)
}

/** Method of the request, or its type. */
export function nameOf({ method, batch }: Pick<Row, 'method' | 'batch'>): string {
  if (batch !== null) return `batch of ${batch}`
  return method === '' ? 'Refused before reading' : method
}

export function OutcomeState({
  row: { outcome, reason },
}: {
  readonly row: Pick<Row, 'outcome' | 'reason'>
}) {
  return <State tone={outcomeTone(outcome)}>{outcomeTitle(outcome, reason)}</State>
}

/** `14:05:01.250`, UTC. */
export function clockTime(time: number): string {
  return new Date(time).toISOString().slice(11, 23)
}
