// Latency over time: p50, p95 and p99 as lines with labels at their ends. An interval without calls is a gap.
// Tested by test/browser/usage.test.ts
import { formatMs } from '../app/format.ts'
import { ChartFrame, chartLeft, heightOf, useChartWidth } from '../ui/chart-frame.tsx'
import { spanOf, topOf, type Zone } from '../ui/chart-scale.ts'
import { Table } from '../ui/table.tsx'
import type { Report } from './breakdowns.tsx'

const height = 190
const bottom = 166
/** Width of the labels at the ends of the lines. */
const right = 34

const lines = [
  { name: 'p50', of: 'p50Ms' },
  { name: 'p95', of: 'p95Ms' },
  { name: 'p99', of: 'p99Ms' },
] as const

export function LatencyChart({ series, zone }: Pick<Report, 'series'> & { readonly zone: Zone }) {
  const { ref, width } = useChartWidth()
  const complete = series.filter((one) => one.complete)
  const stepMs = (complete[1]?.start ?? 60_000) - (complete[0]?.start ?? 0)
  const axis = topOf(Math.max(0, ...complete.map(({ latency }) => latency?.p99Ms ?? 0)))
  const slot = (width - chartLeft - right) / Math.max(1, complete.length - 1)
  return (
    <>
      <div class="chart-box" ref={ref}>
        <svg
          class="chart"
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label="Latency in milliseconds; the table below has the same numbers"
        >
          <ChartFrame
            axis={axis}
            bottom={bottom}
            right={width - right}
            width={width}
            starts={complete.map(({ start }) => start)}
            slot={slot}
            stepMs={stepMs}
            zone={zone}
          />
          {lines.map(({ name, of }) => (
            <Line
              key={name}
              name={name}
              points={complete.flatMap(({ latency }, at) =>
                latency === null
                  ? [null]
                  : [[chartLeft + at * slot, heightOf(latency[of], axis, bottom)] as const],
              )}
            />
          ))}
        </svg>
      </div>
      <details class="chart-table">
        <summary>Show as table</summary>
        <Table
          caption="Latency by interval"
          dense
          pageSize={10}
          rows={complete.toReversed()}
          keyOf={({ start }) => String(start)}
          columns={[
            { title: 'Interval', cell: ({ start }) => spanOf(start, stepMs, zone) },
            ...lines.map(({ name, of }) => ({
              title: name,
              number: true,
              cell: ({ latency }: Report['series'][number]) =>
                latency === null ? '–' : formatMs(latency[of]),
            })),
          ]}
        />
      </details>
    </>
  )
}

function Line({
  name,
  points,
}: {
  readonly name: string
  /** Null: a gap. */
  readonly points: readonly (readonly [x: number, y: number] | null)[]
}) {
  let path = ''
  for (const [at, point] of points.entries()) {
    if (point === null) continue
    const [x, y] = point
    const begins = at === 0 || points[at - 1] === null
    const isAlone = begins && (points[at + 1] ?? null) === null
    path += `${begins ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}${isAlone ? 'h2' : ''}`
  }
  const last = points.findLast((point) => point !== null)
  return (
    <g>
      <path class={`line ${name}`} d={path} />
      {last && (
        <text class="strong" x={last[0] + 6} y={last[1] + 4}>
          {name}
        </text>
      )}
    </g>
  )
}
