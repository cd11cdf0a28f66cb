// Latency over time: p50, p95 and p99 as lines, named at their ends. An interval without calls is a gap.
// Tested by test/browser/usage.test.ts
import { useEffect, useRef, useState } from 'preact/hooks'
import '../style/chart.css'
import { formatMs } from '../app/format.ts'
import { shortCount, spanOf, tickOf, topOf } from '../ui/chart-scale.ts'
import { Table } from '../ui/table.tsx'
import type { Report } from './breakdowns.tsx'

const height = 190
const left = 40
const right = 34
const bottom = 166
const top = 10

const lines = [
  { name: 'p50', of: 'p50Ms' },
  { name: 'p95', of: 'p95Ms' },
  { name: 'p99', of: 'p99Ms' },
] as const

export function LatencyChart({ series }: Pick<Report, 'series'>) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(1000)
  useEffect(() => {
    if (box.current === null) return undefined
    const watch = new ResizeObserver(([entry]) =>
      setWidth(Math.max(240, entry?.contentRect.width ?? 0)),
    )
    watch.observe(box.current)
    return () => watch.disconnect()
  }, [])
  const complete = series.filter((one) => one.complete)
  const stepMs = (complete[1]?.start ?? 60_000) - (complete[0]?.start ?? 0)
  const axis = topOf(Math.max(0, ...complete.map(({ latency }) => latency?.p99Ms ?? 0)))
  const slot = (width - left - right) / Math.max(1, complete.length - 1)
  const x = (at: number): number => left + at * slot
  const y = (ms: number): number => bottom - (ms / axis) * (bottom - top)
  const labelled = Math.max(1, Math.ceil(64 / slot))
  return (
    <>
      <div class="chart-box" ref={box}>
        <svg
          class="chart"
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label="Latency in milliseconds; the table below has the same numbers"
        >
          {[0, 1, 2, 3, 4].map((step) => (
            <g key={step}>
              <line
                class="rule"
                x1={left}
                x2={width - right}
                y1={y((axis * step) / 4)}
                y2={y((axis * step) / 4)}
              />
              <text x={left - 8} y={y((axis * step) / 4) + 4} text-anchor="end">
                {shortCount((axis * step) / 4)}
              </text>
            </g>
          ))}
          {complete.map(
            ({ start }, at) =>
              at % labelled === 0 &&
              x(at) + 40 < width && (
                <text key={start} x={x(at)} y={bottom + 18}>
                  {tickOf(start, stepMs)}
                </text>
              ),
          )}
          {lines.map(({ name, of }) => (
            <Line
              key={name}
              name={name}
              points={complete.flatMap(({ latency }, at) =>
                latency === null ? [null] : [[x(at), y(latency[of])] as const],
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
            { title: 'Interval', cell: ({ start }) => spanOf(start, stepMs) },
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
