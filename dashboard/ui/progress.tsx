// Progress of a task, or the used share of a limit.

export function Progress({
  title,
  value,
  max,
  text,
  tone = 'plain',
}: {
  readonly title: string
  readonly value: number
  /** Null: unknown yet. */
  readonly max: number | null
  /** Text next to the title. */
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
