// How far something is, or how much of a limit is used.

export function Progress({
  title,
  value,
  max,
  text,
  tone = 'plain',
}: {
  readonly title: string
  readonly value: number
  /** Null: it is not known yet. */
  readonly max: number | null
  /** In words, beside the title. */
  readonly text?: string
  readonly tone?: 'plain' | 'warn' | 'bad'
}) {
  return (
    <div class={`progress ${tone}`}>
      <div class="row apart">
        <small>{title}</small>
        {text !== undefined && <small class="soft">{text}</small>}
      </div>
      <progress aria-label={title} {...(max === null ? {} : { value, max })} />
    </div>
  )
}
