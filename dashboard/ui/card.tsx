// A box with a title, and the head of a page.
import type { ComponentChildren } from 'preact'

type CardProps = {
  readonly title?: string
  /** One sentence under the title. */
  readonly about?: ComponentChildren
  /** Buttons next to the title. */
  readonly actions?: ComponentChildren
  /** The content reaches the edges: a table. */
  readonly flush?: boolean
  readonly children: ComponentChildren
}

export function Card({ title, about, actions, flush = false, children }: CardProps) {
  return (
    <section class={`card${flush ? ' flush' : ''}`}>
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {actions !== undefined && <div class="row">{actions}</div>}
          {about !== undefined && <p>{about}</p>}
        </header>
      )}
      {children}
    </section>
  )
}

export function PageHead({
  title,
  about,
  actions,
}: {
  readonly title: string
  readonly about?: ComponentChildren
  readonly actions?: ComponentChildren
}) {
  return (
    <div class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {about !== undefined && <p>{about}</p>}
      </div>
      {actions !== undefined && <div class="row">{actions}</div>}
    </div>
  )
}

/** Names and their values; `across`: in one row if there is space. */
export function Facts({
  rows,
  across = false,
}: {
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[]
  readonly across?: boolean
}) {
  return (
    <dl class={`facts${across ? ' across' : ''}`}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A few big numbers in a row. */
export function Figures({
  rows,
}: {
  readonly rows: readonly {
    readonly title: string
    readonly value: string
    readonly about?: string
  }[]
}) {
  return (
    <div class="figures">
      {rows.map(({ title, value, about }) => (
        <div class="figure" key={title}>
          <small class="soft">{title}</small>
          <b>{value}</b>
          {about !== undefined && <small class="soft">{about}</small>}
        </div>
      ))}
    </div>
  )
}
