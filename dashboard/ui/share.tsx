// Small drawings in table rows: a share of a whole, the used part of a limit, a sparkline, bars of calls. Lengths are SVG
// attributes, because the content policy forbids inline styles.
import type { ComponentChildren } from 'preact'

/** `part`: 0 to 1. */
export function Share({
  part,
  tone = '',
}: {
  readonly part: number
  readonly tone?: '' | 'warn' | 'bad' | 'caller' | 'refused' | 'failed'
}) {
  const width = Math.max(0, Math.min(1, part)) * 100
  return (
    <svg class={`share ${tone}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect width={width} height="6" />
    </svg>
  )
}

/** The used part of a limit, with its texts. */
export function Used({
  part,
  isLimit = true,
  children,
}: {
  readonly part: number
  /** False: a share of a whole. A large share is no warning, and a phone shows only the percentage. */
  readonly isLimit?: boolean
  readonly children: ComponentChildren
}) {
  return (
    <span class={`used${isLimit ? '' : ' plain'}`}>
      <span class="row">
        <span>{children}</span>
        <span>{`${Math.round(part * 100)}%`}</span>
      </span>
      <Share part={part} tone={isLimit ? toneOf(part) : ''} />
    </span>
  )
}

export function toneOf(part: number): '' | 'warn' | 'bad' {
  return part >= 1 ? 'bad' : part >= 0.75 ? 'warn' : ''
}

/** A series of counts without axes. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1, ...values)
  const step = 96 / Math.max(1, values.length - 1)
  const line = values
    .map(
      (value, at) =>
        `${at === 0 ? 'M' : 'L'}${(at * step).toFixed(1)} ${(22 - (value / most) * 20).toFixed(1)}`,
    )
    .join('')
  return (
    <svg class="sparkline" viewBox="0 0 96 24" preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`${line}L96 24L0 24Z`} />
      <path d={line} />
    </svg>
  )
}

/** One bar per interval: successful calls, and failed ones above them. */
export function CallBars({
  title,
  calls,
  failed,
}: {
  readonly title: string
  readonly calls: readonly number[]
  /** Failed ones of `calls`. */
  readonly failed: readonly number[]
}) {
  const most = Math.max(1, ...calls)
  const step = 96 / Math.max(1, calls.length)
  return (
    <svg
      class="call-bars"
      viewBox="0 0 96 24"
      preserveAspectRatio="none"
      role="img"
      aria-label={title}
    >
      <title>{title}</title>
      {calls.map((count, at) => {
        const callHeight = (count / most) * 22
        const bad = ((failed[at] ?? 0) / most) * 22
        const place = { x: at * step, width: step * 0.75 }
        return (
          <g key={at}>
            <rect {...place} y={24 - callHeight + bad} height={callHeight - bad} />
            {bad > 0 && <rect class="failed" {...place} y={24 - callHeight} height={bad} />}
          </g>
        )
      })}
    </svg>
  )
}
