// Chart of calls over time (uPlot): one line per part. The current interval is incomplete.
// Tested by test/browser/usage.test.ts
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { isDark, useIsDark } from '../app/use-is-dark.ts'

type ChartLine = { readonly name: string; readonly values: readonly number[] }

type ChartProps = {
  /** Milliseconds since 1970 UTC. */
  readonly starts: readonly number[]
  readonly lines: readonly ChartLine[]
  /** The last interval is still running. */
  readonly isRunning: boolean
  /** Name of the chart, for screen readers. */
  readonly title: string
}

const height = 240
const dayMs = 86_400_000
/** Distinguishable in both themes and by most colour-blind people; eight parts and the rest. */
const colours = [
  ['#0b6b60', '#4fc4b0'],
  ['#b4540a', '#f0a35e'],
  ['#3f5bb5', '#92a8f2'],
  ['#a3245f', '#f08bb8'],
  ['#5f7300', '#b9cc52'],
  ['#6b3fa0', '#c09cf0'],
  ['#00718f', '#62c7e2'],
  ['#8a1f11', '#f4897f'],
  ['#6f6a61', '#aba69c'],
] as const

/** Colour of a part, in the current theme. */
function colourOf(index: number): string {
  const pair = colours[index % colours.length] ?? colours[0]
  return isDark() ? pair[1] : pair[0]
}

export function Chart({ starts, lines, isRunning, title }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const dark = useIsDark()
  useEffect(() => {
    const box = place.current
    if (box === null) return undefined
    const isDaily = (starts[1] ?? 0) - (starts[0] ?? 0) >= dayMs
    const data = [
      starts.map((start) => start / 1000),
      ...lines.map(({ values }) => [...values]),
    ] as uPlot.AlignedData
    const plot = new uPlot(options(box.clientWidth, lines, isRunning, isDaily), data, box)
    const watch = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }))
    watch.observe(box)
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [starts, lines, isRunning, dark])
  return <div class="chart" ref={place} role="img" aria-label={title} />
}

function options(
  width: number,
  lines: readonly ChartLine[],
  isRunning: boolean,
  isDaily: boolean,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const soft = resolve(style, '--text-soft')
  const line = resolve(style, '--line')
  const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
  return {
    width,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    cursor: { drag: { x: false, y: false } },
    legend: { show: true, live: true },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      { ...axis, values: (_plot, splits) => splits.map((seconds) => spell(seconds, isDaily)) },
      { ...axis, size: 56 },
    ],
    series: [
      { label: 'UTC', value: '{YYYY}-{MM}-{DD} {HH}:{mm}' },
      ...lines.map(({ name, values }, index) => ({
        label: name,
        stroke: colourOf(index),
        width: 2,
        ...(lines.length === 1 ? { fill: `${colourOf(index)}22` } : {}),
        points: { show: values.length < 40, size: 5 },
        ...(isRunning ? { gaps: () => [] } : {}),
      })),
    ],
  }
}

/** The date at midnight and for daily intervals, else the time; UTC. */
function spell(seconds: number, isDaily: boolean): string {
  const text = new Date(seconds * 1000).toISOString()
  return isDaily || text.slice(11, 16) === '00:00' ? text.slice(5, 10) : text.slice(11, 16)
}

/** A canvas does not resolve `light-dark()`, an element does. */
function resolve(style: CSSStyleDeclaration, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = style.getPropertyValue(name)
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
