// A box with a title, and the header of a page.
import type { ComponentChildren } from 'preact'
import { Link } from '../app/router.tsx'

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
  above,
  actions,
}: {
  readonly title: string
  /** A link to the parent page. */
  readonly above?: ComponentChildren
  readonly about?: ComponentChildren
  readonly actions?: ComponentChildren
}) {
  return (
    <div class="page-head">
      <div>
        {above !== undefined && <p class="crumb">{above} ›</p>}
        <h1 tabIndex={-1}>{title}</h1>
        {about !== undefined && <p>{about}</p>}
      </div>
      {actions !== undefined && <div class="row">{actions}</div>}
    </div>
  )
}

/** Names with their values; `across`: in one row if there is space. */
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

/** A strip of large figures. */
export function Figures({
  rows,
}: {
  readonly rows: readonly {
    readonly title: string
    readonly value: ComponentChildren
    readonly about?: ComponentChildren
    /** Path of the page with the rows behind the figure. */
    readonly to?: string
  }[]
}) {
  return (
    <dl class="figures">
      {rows.map(({ title, value, about, to }) => (
        <div class="figure" key={title}>
          <dt>{title}</dt>
          <dd class="amount">{to === undefined ? value : <Link to={to}>{value}</Link>}</dd>
          {about !== undefined && <dd class="about">{about}</dd>}
        </div>
      ))}
    </dl>
  )
}
