// Parts of every chart over time: its width, the lines of the axis with their labels, and the times below it.
// Tested by test/browser/usage.test.ts
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import '../style/chart.css'
import { shortCount, tickOf, type Zone } from './chart-scale.ts'

/** Left edge of the drawing, right of the labels. */
export const chartLeft = 40
export const chartTop = 10

const widthMin = 240
/** Width of a label below the axis. */
const labelWidth = 64

/** Width of the element that receives `ref`, in pixels. */
export function useChartWidth(): {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly width: number
} {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(1000)
  useEffect(() => {
    if (ref.current === null) return undefined
    const watch = new ResizeObserver(([entry]) =>
      setWidth(Math.max(widthMin, entry?.contentRect.width ?? 0)),
    )
    watch.observe(ref.current)
    return () => watch.disconnect()
  }, [])
  return { ref, width }
}

/** Height of a value above the axis. `axis`: the largest tick. */
export function heightOf(value: number, axis: number, bottom: number): number {
  return bottom - (value / axis) * (bottom - chartTop)
}

/** Five lines from zero to `axis`, and as many of the times in `starts` as fit. */
export function ChartFrame({
  axis,
  bottom,
  right,
  width,
  starts,
  slot,
  stepMs,
  zone,
}: {
  readonly axis: number
  readonly bottom: number
  /** Right end of the lines. */
  readonly right: number
  readonly width: number
  /** Milliseconds since 1970. */
  readonly starts: readonly number[]
  /** Pixels from one start to the next. */
  readonly slot: number
  readonly stepMs: number
  readonly zone: Zone
}) {
  const labelled = Math.max(1, Math.ceil(labelWidth / slot))
  return (
    <>
      {[0, 1, 2, 3, 4].map((step) => {
        const y = heightOf((axis * step) / 4, axis, bottom)
        return (
          <g key={step}>
            <line class="rule" x1={chartLeft} x2={right} y1={y} y2={y} />
            <text x={chartLeft - 8} y={y + 4} text-anchor="end">
              {shortCount((axis * step) / 4)}
            </text>
          </g>
        )
      })}
      {starts.map((start, at) => {
        const x = chartLeft + at * slot
        return (
          at % labelled === 0 &&
          x + 40 < width && (
            <text key={start} x={x} y={bottom + 18}>
              {tickOf(start, stepMs, zone)}
            </text>
          )
        )
      })}
    </>
  )
}
