// Table with sorting and pages. On a phone, each row is two lines: its name, and the other values in one muted line.
// Tested by test/browser/keys.test.ts
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatNumber } from '../app/format.ts'
import { Empty } from './note.tsx'

export type Column<Row> = {
  readonly title: string
  /** Content before the title: a checkbox that selects all rows. */
  readonly heading?: ComponentChildren
  readonly cell: (row: Row) => ComponentChildren
  readonly number?: boolean
  /** A column of buttons, at the right end of a row on a phone. */
  readonly actions?: boolean
  /** The state of the row, at the right end on a phone. */
  readonly keep?: boolean
  /** Hidden on a narrow screen (`extra`), or only on a phone (`wide`). */
  readonly hides?: 'extra' | 'wide'
  /** Word after a number on a phone; absent: the title. */
  readonly unit?: string | ((row: Row) => string)
  /** Makes the title a button that sorts by this value. */
  readonly sort?: (row: Row) => number | string
}

export type Order = { readonly by: string; readonly down: boolean }

type TableProps<Row> = {
  /** For screen readers. */
  readonly caption: string
  /** The first column is the header of the row. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Shown instead of a table without rows. */
  readonly empty?: ComponentChildren
  readonly isSelected?: (row: Row) => boolean
  /** Rows per page; more rows get page buttons. */
  readonly pageSize?: number
  readonly order?: Order
  /** The rows are already in this order; `onSort` receives the heading to sort by. Absent: the table sorts its rows. */
  readonly sorted?: { readonly order: Order; onSort(by: string): void }
  /** Rows with less height. */
  readonly dense?: boolean
  /** A change, of the filter of the rows, returns to the first page. */
  readonly filteredBy?: string
  /** Content at the left of the footer, next to the page buttons. */
  readonly foot?: ComponentChildren
}

/** Rows per page. */
export const pageRows = 50

export function Table<Row>(props: TableProps<Row>) {
  const { columns, rows, empty, pageSize = pageRows, foot, sorted: outside } = props
  const [order, setOrder] = useState<Order | null>(props.order ?? null)
  const [requestedPage, setPage] = useState(0)
  useEffect(() => setPage(0), [props.filteredBy])
  if (rows.length === 0) return <>{empty ?? <Empty title="Nothing here yet" />}</>
  const sorted = outside === undefined ? sortedBy(rows, columns, order) : rows
  const page = Math.min(requestedPage, Math.ceil(rows.length / pageSize) - 1)
  const shown = sorted.slice(page * pageSize, (page + 1) * pageSize)
  const sortBy = (by: string): void =>
    setOrder((was) => ({ by, down: was?.by === by ? !was.down : true }))
  return (
    <div>
      <Rows
        {...props}
        rows={shown}
        order={outside?.order ?? order}
        onSort={outside?.onSort ?? sortBy}
      />
      {(foot !== undefined || rows.length > pageSize) && (
        <div class="card-foot">
          <span class="row">
            {rows.length > pageSize && (
              <span>
                {`${formatNumber(page * pageSize + 1)}–${formatNumber(page * pageSize + shown.length)} of ${formatNumber(rows.length)}`}
              </span>
            )}
            {foot}
          </span>
          {rows.length > pageSize && (
            <Pager
              onPrevious={page === 0 ? null : () => setPage(page - 1)}
              onNext={(page + 1) * pageSize >= rows.length ? null : () => setPage(page + 1)}
            />
          )}
        </div>
      )}
    </div>
  )
}

/** Null: there is no such page. */
export function Pager({
  onPrevious,
  onNext,
}: {
  readonly onPrevious: (() => void) | null
  readonly onNext: (() => void) | null
}) {
  return (
    <span class="pager">
      <button
        class="button small"
        type="button"
        disabled={onPrevious === null}
        onClick={() => onPrevious?.()}
      >
        Previous
      </button>
      <button
        class="button small"
        type="button"
        disabled={onNext === null}
        onClick={() => onNext?.()}
      >
        Next
      </button>
    </span>
  )
}

function sortedBy<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | null,
): readonly Row[] {
  const sort = columns.find(({ title }) => title === order?.by)?.sort
  if (sort === undefined || order === null) return rows
  const sign = order.down ? -1 : 1
  return rows.toSorted((one, other) => {
    const [a, b] = [sort(one), sort(other)]
    return a === b ? 0 : a < b ? -sign : sign
  })
}

function Rows<Row>({
  caption,
  columns,
  rows,
  keyOf,
  isSelected,
  dense = false,
  order,
  onSort,
}: Omit<TableProps<Row>, 'order'> & {
  readonly order: Order | null
  onSort(by: string): void
}) {
  return (
    <div class="table-wrap">
      <table class={`list${dense ? ' dense' : ''}`}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.title} column={column} order={order} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} {...(isSelected?.(row) === true ? { 'aria-selected': true } : {})}>
              {columns.map((column, at) => (
                <Cell key={column.title} column={column} row={row} first={at === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Heading<Row>({
  column: { title, heading, number = false, actions = false, hides, sort },
  order,
  onSort,
}: {
  readonly column: Column<Row>
  readonly order: Order | null
  onSort(by: string): void
}) {
  const sorted = order?.by === title ? { 'aria-sort': order.down ? 'descending' : 'ascending' } : {}
  return (
    <th
      scope="col"
      class={`${number ? 'number ' : ''}${hides ?? ''}`}
      {...(sorted as { 'aria-sort'?: 'ascending' | 'descending' })}
    >
      {heading}
      {actions ? (
        <span class="unseen">{title}</span>
      ) : sort === undefined ? (
        title
      ) : (
        <button class="sort" type="button" onClick={() => onSort(title)}>
          {title}
        </button>
      )}
    </th>
  )
}

function Cell<Row>({
  column,
  row,
  first,
}: {
  readonly column: Column<Row>
  readonly row: Row
  readonly first: boolean
}) {
  const { title, cell, number = false, actions = false, keep = false, hides, unit } = column
  if (first) {
    return (
      <th scope="row" class="main">
        {cell(row)}
      </th>
    )
  }
  if (actions) return <td class="actions">{cell(row)}</td>
  const word =
    typeof unit === 'function' ? unit(row) : (unit ?? (number ? title.toLowerCase() : ''))
  return (
    <td
      class={`${number ? 'number ' : ''}${keep ? 'keep ' : ''}${hides ?? ''}`}
      {...(word === '' ? {} : { 'data-unit': word })}
    >
      {cell(row)}
    </td>
  )
}
