// Table. On a phone, each row is a card with the column title before each value.
import type { ComponentChildren } from 'preact'
import { Empty } from './note.tsx'

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  readonly number?: boolean
  /** A column of buttons, without titles on a phone. */
  readonly actions?: boolean
}

type TableProps<Row> = {
  /** For screen readers. */
  readonly caption: string
  /** The first column is the header of the row. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Shown instead of a table without rows. */
  readonly empty?: ComponentChildren
}

export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <>{empty ?? <Empty title="Nothing here yet" />}</>
  return (
    <div class="table-wrap">
      <table class="cards">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, number = false, actions = false }) => (
              <th key={title} scope="col" class={number ? 'number' : ''}>
                {actions ? <span class="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
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

function Cell<Row>({
  column,
  row,
  first,
}: {
  readonly column: Column<Row>
  readonly row: Row
  readonly first: boolean
}) {
  const { title, cell, number = false, actions = false } = column
  if (first) return <th scope="row">{cell(row)}</th>
  if (actions) return <td class="actions">{cell(row)}</td>
  return (
    <td class={number ? 'number' : ''} data-label={title}>
      {cell(row)}
    </td>
  )
}
