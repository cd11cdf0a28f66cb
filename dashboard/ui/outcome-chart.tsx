// Calls over time as stacked bars by outcome. Hover, focus and touch show the figures of an interval; the arrow keys move through
// the intervals; a click or Enter zooms into one; a click on a legend entry hides its part. The last, incomplete interval is not
// drawn. A line over the bars shows the calls of the previous period.
// Tested by test/browser/usage.test.ts
import { useState } from 'preact/hooks'
import { type OutcomeClass, outcomeClasses } from '../../src/base/outcome-class.ts'
import { formatNumber } from '../app/format.ts'
import { classTitles } from '../app/outcome.ts'
import { ChartFrame, chartLeft, chartTop, heightOf, useChartWidth } from './chart-frame.tsx'
import { groupOf, spanOf, topOf, type Zone } from './chart-scale.ts'
import { Empty } from './note.tsx'
import { Table } from './table.tsx'

export type OutcomeSeries = {
  /** Milliseconds since 1970 UTC; only complete intervals. */
  readonly starts: readonly number[]
  /** Calls in each interval. */
  readonly counts: Readonly<Record<OutcomeClass, readonly number[]>>
  /** All calls of the same number of preceding intervals; absent: no comparison. */
  readonly before?: readonly number[] | undefined
}

type Bar = {
  readonly start: number
  readonly counts: Readonly<Record<OutcomeClass, number>>
  readonly before: number | null
}

const height = 210
const bottom = 186
const minuteMs = 60_000
const barsMax = 60
const phoneBarsMax = 24
const phoneWidth = 600

export function OutcomeChart({
  series,
  zone = 'utc',
  onZoom,
}: {
  readonly series: OutcomeSeries
  readonly zone?: Zone
  /** Called with the times of a bar, milliseconds since 1970; absent: bars cannot be clicked. */
  readonly onZoom?: (from: number, until: number) => void
}) {
  const { ref, width } = useChartWidth()
  const [hidden, setHidden] = useState<ReadonlySet<OutcomeClass>>(new Set())
  const [at, setAt] = useState<number | null>(null)
  const { bars, stepMs } = barsOf(series, width < phoneWidth ? phoneBarsMax : barsMax)
  const shown = outcomeClasses.filter((name) => !hidden.has(name))
  const toggle = (name: OutcomeClass): void => {
    const next = new Set(hidden)
    if (!next.delete(name)) next.add(name)
    setHidden(next)
  }
  // Usage has no rows finer than a minute.
  const canZoom = onZoom !== undefined && stepMs > minuteMs
  const zoom = (index: number | null): void => {
    const start = index === null ? undefined : bars[index]?.start
    if (canZoom && start !== undefined) onZoom(start, start + stepMs)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') return setAt(null)
    if (event.key === 'Enter') return zoom(at)
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setAt(at === null ? bars.length - 1 : Math.max(0, Math.min(bars.length - 1, at + step)))
  }
  const bar = at === null ? undefined : bars[at]
  if (!bars.some(({ counts }) => outcomeClasses.some((name) => counts[name] > 0))) {
    return (
      <Empty icon="usage" title="No calls in a whole interval yet">
        The current one is drawn when it ends.
      </Empty>
    )
  }
  return (
    <>
      <Legend bars={bars} hidden={hidden} onToggle={toggle} />
      <div
        class="chart-box"
        ref={ref}
        tabIndex={0}
        role="group"
        aria-label={`Calls by outcome; the arrow keys move through the intervals${canZoom ? ', Enter zooms in' : ''}`}
        onKeyDown={press}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
      >
        <Drawing
          bars={bars}
          shown={shown}
          width={width}
          stepMs={stepMs}
          zone={zone}
          at={at}
          onAt={setAt}
          onZoom={canZoom ? zoom : null}
        />
        <p class="unseen" role="status">
          {bar === undefined ? '' : `${spanOf(bar.start, stepMs, zone)}: ${describeBar(bar)}`}
        </p>
      </div>
      {canZoom && (
        <p class="hint">Click a bar to zoom in; click a name in the legend to hide it.</p>
      )}
      <details class="chart-table">
        <summary>Show as table</summary>
        <BarTable bars={bars} stepMs={stepMs} zone={zone} />
      </details>
    </>
  )
}

/** Text of one interval for screen readers. */
function describeBar({ counts, before }: Bar): string {
  const words = outcomeClasses.map(
    (name) => `${formatNumber(counts[name])} ${classTitles[name].toLowerCase()}`,
  )
  if (before !== null) words.push(`${formatNumber(before)} in the period before`)
  return words.join(', ')
}

/** Merges neighbouring intervals until there are at most `most`. */
function barsOf(
  { starts, counts, before }: OutcomeSeries,
  most: number,
): { readonly bars: readonly Bar[]; readonly stepMs: number } {
  const size = groupOf(starts.length, most)
  const first = starts.length % size
  const stepMs = ((starts[1] ?? 60_000) - (starts[0] ?? 0)) * size
  const bars: Bar[] = []
  for (let from = first; from < starts.length; from += size) {
    const sum = (numbers: readonly number[]): number =>
      numbers.slice(from, from + size).reduce((all, one) => all + one, 0)
    bars.push({
      start: starts[from] ?? 0,
      counts: {
        answered: sum(counts.answered),
        caller: sum(counts.caller),
        refused: sum(counts.refused),
        failed: sum(counts.failed),
      },
      before: before === undefined ? null : sum(before),
    })
  }
  return { bars, stepMs }
}

function Legend({
  bars,
  hidden,
  onToggle,
}: {
  readonly bars: readonly Bar[]
  readonly hidden: ReadonlySet<OutcomeClass>
  onToggle(name: OutcomeClass): void
}) {
  return (
    <div class="legend">
      {outcomeClasses.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={!hidden.has(name)}
          onClick={() => onToggle(name)}
        >
          <svg width="10" height="10" class={`series ${name}`} aria-hidden="true">
            <rect width="10" height="10" rx="2" />
          </svg>
          {classTitles[name]}{' '}
          <b>{formatNumber(bars.reduce((sum, bar) => sum + bar.counts[name], 0))}</b>
        </button>
      ))}
      {bars.some(({ before }) => before !== null) && (
        <span>
          <svg width="16" height="10" aria-hidden="true">
            <path class="line before" d="M0 5H16" />
          </svg>
          Period before{' '}
          <b>{formatNumber(bars.reduce((sum, { before }) => sum + (before ?? 0), 0))}</b>
        </span>
      )}
    </div>
  )
}

type DrawingProps = {
  readonly bars: readonly Bar[]
  readonly shown: readonly OutcomeClass[]
  readonly width: number
  readonly stepMs: number
  readonly zone: Zone
  readonly at: number | null
  onAt(at: number | null): void
  /** Null: bars cannot be clicked. */
  readonly onZoom: ((at: number) => void) | null
}

function Drawing({ bars, shown, width, stepMs, zone, at, onAt, onZoom }: DrawingProps) {
  const total = (bar: Bar): number => shown.reduce((sum, name) => sum + bar.counts[name], 0)
  const axis = topOf(Math.max(0, ...bars.map((bar) => Math.max(total(bar), bar.before ?? 0))))
  const slot = (width - chartLeft) / Math.max(1, bars.length)
  const y = (value: number): number => heightOf(value, axis, bottom)
  return (
    <svg
      class="chart"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
    >
      <ChartFrame
        axis={axis}
        bottom={bottom}
        right={width}
        width={width}
        starts={bars.map(({ start }) => start)}
        slot={slot}
        stepMs={stepMs}
        zone={zone}
      />
      {bars.map((bar, index) => {
        let below = 0
        const x = chartLeft + index * slot
        return (
          <g key={bar.start} class={at === null || at === index ? '' : 'dim'}>
            {shown.map((name) => {
              const from = below
              below += bar.counts[name]
              return (
                <rect
                  key={name}
                  class={`series ${name}`}
                  x={x + slot * 0.06}
                  width={slot * 0.88}
                  y={y(below)}
                  height={Math.max(0, y(from) - y(below))}
                />
              )
            })}
            <rect
              class={onZoom === null ? 'touch' : 'touch zoom'}
              x={x}
              width={slot}
              y={chartTop}
              height={bottom - chartTop}
              onPointerEnter={() => onAt(index)}
              onPointerDown={() => onAt(index)}
              onClick={(event) => {
                // A touch only shows the figures.
                const isTouch = 'pointerType' in event && event.pointerType === 'touch'
                if (!isTouch) onZoom?.(index)
              }}
            />
          </g>
        )
      })}
      <path class="line before" d={pathOf(bars, (at) => chartLeft + (at + 0.5) * slot, y)} />
      {at !== null && bars[at] !== undefined && (
        <Tip
          bar={bars[at]}
          shown={shown}
          stepMs={stepMs}
          zone={zone}
          x={chartLeft + (at + 0.5) * slot}
          width={width}
        />
      )}
    </svg>
  )
}

/** Path of the line for the previous period; empty without a comparison. */
function pathOf(
  bars: readonly Bar[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  return bars
    .flatMap(({ before }, at) =>
      before === null ? [] : [`${x(at).toFixed(1)} ${y(before).toFixed(1)}`],
    )
    .map((point, at) => `${at === 0 ? 'M' : 'L'}${point}`)
    .join('')
}

const tipWidth = 196

function Tip(props: {
  readonly bar: Bar
  readonly shown: readonly OutcomeClass[]
  readonly stepMs: number
  readonly zone: Zone
  readonly x: number
  readonly width: number
}) {
  const { bar, shown, stepMs, zone, x, width } = props
  const rows = shown.toReversed()
  const total = shown.reduce((sum, name) => sum + bar.counts[name], 0)
  const at = x + 12 + tipWidth > width ? x - 12 - tipWidth : x + 12
  return (
    <g class="tip" transform={`translate(${at} 8)`}>
      <rect
        class="tip-box"
        width={tipWidth}
        height={(bar.before === null ? 48 : 66) + rows.length * 18}
        rx="6"
      />
      <text class="strong" x="12" y="20">
        {spanOf(bar.start, stepMs, zone)}
      </text>
      {rows.map((name, index) => (
        <g key={name} transform={`translate(12 ${38 + index * 18})`}>
          <rect class={`series ${name}`} width="10" height="10" y="-9" rx="2" />
          <text x="16">{classTitles[name]}</text>
          <text class="strong" x="128" text-anchor="end">
            {formatNumber(bar.counts[name])}
          </text>
          <text x="172" text-anchor="end">
            {total === 0 ? '' : `${((bar.counts[name] / total) * 100).toFixed(1)}%`}
          </text>
        </g>
      ))}
      <g transform={`translate(12 ${38 + rows.length * 18})`}>
        <text>Total</text>
        <text class="strong" x="128" text-anchor="end">
          {formatNumber(total)}
        </text>
      </g>
      {bar.before !== null && (
        <g transform={`translate(12 ${56 + rows.length * 18})`}>
          <text>Period before</text>
          <text class="strong" x="128" text-anchor="end">
            {formatNumber(bar.before)}
          </text>
        </g>
      )}
    </g>
  )
}

function BarTable({
  bars,
  stepMs,
  zone,
}: {
  readonly bars: readonly Bar[]
  readonly stepMs: number
  readonly zone: Zone
}) {
  const compared = bars.some(({ before }) => before !== null)
  return (
    <Table
      caption="Calls by interval and outcome"
      dense
      pageSize={10}
      rows={bars.toReversed()}
      keyOf={({ start }) => String(start)}
      columns={[
        { title: 'Interval', cell: ({ start }) => spanOf(start, stepMs, zone) },
        ...outcomeClasses.map((name) => ({
          title: classTitles[name],
          number: true,
          cell: ({ counts }: Bar) => formatNumber(counts[name]),
        })),
        ...(compared
          ? [
              {
                title: 'Period before',
                number: true,
                cell: ({ before }: Bar) => (before === null ? '–' : formatNumber(before)),
              },
            ]
          : []),
      ]}
    />
  )
}
