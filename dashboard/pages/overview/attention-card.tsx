// Problems that need attention, each with the page that helps.
import { Card } from '../../ui/card.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Link } from '../../app/router.tsx'
import type { Attention } from '../../app/attention.ts'

/** Maximum number of lines; further ones are only counted. */
const shownMax = 5

export function AttentionCard({
  items,
  isLoaded,
}: {
  readonly items: readonly Attention[]
  readonly isLoaded: boolean
}) {
  if (items.length === 0) {
    return (
      <Card>
        <p class="row">
          <span class={`state ${isLoaded ? 'good' : ''}`}>
            {isLoaded ? 'Everything is healthy' : 'Checking…'}
          </span>
        </p>
      </Card>
    )
  }
  const more = items.length - shownMax
  return (
    <section class="card flush">
      <header>
        <h2 class="row">
          Needs attention <span class="count">{items.length}</span>
        </h2>
        <span class="soft">{more > 0 ? `and ${more} more` : 'Everything else is healthy'}</span>
      </header>
      <ul class="todo">
        {items.slice(0, shownMax).map(({ tone, title, text, action, to }) => (
          <li key={title}>
            <span class={tone}>
              <Icon name="warning" size={16} />
            </span>
            <div>
              <b>{title}</b>
              <p>{text}</p>
            </div>
            <Link to={to} class="button small">
              {action}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
