// Timeline of a request: its stages in order, with the reads inside them.
import type { AdminReply } from '../../../src/admin/client.ts'
import { formatMs } from '../../app/format.ts'

export type Request = AdminReply<'GET /accounts/{account}/keys/{key}/requests/{request}'>
type Step = Request['timeline'][number]

const titles: Readonly<Record<string, string>> = {
  auth: 'Check key',
  body: 'Read body',
  parse: 'Parse',
  admit: 'Admit',
  run: 'Run',
  reply: 'Reply',
  kept: 'Answer cache',
  store: 'Store',
  source: 'Upstream',
  verify: 'Verify',
}
const inner = new Set(['kept', 'store', 'source', 'verify'])
const fine = new Set(['ok', 'held', 'absent', 'answered', 'taken', 'missing'])

export function Waterfall({ request }: { readonly request: Request }) {
  const totalMs = Math.max(request.ms, 0.001)
  return (
    <ol class="waterfall" aria-label="Timeline">
      {request.timeline.map((step, at) => (
        <li key={at} class={classOf(step)}>
          <span class="waterfall-name">{nameOf(step)}</span>
          <svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 1000 10">
            <rect
              x={Math.min(998, (step.startMs / totalMs) * 1000)}
              width={Math.max(2, Math.min(1, step.ms / totalMs) * 1000)}
              y="1"
              height="8"
              rx="1"
            />
          </svg>
          <span class="number">{formatMs(step.ms)}</span>
        </li>
      ))}
      {request.stepsLeft > 0 && <li class="soft">and {request.stepsLeft} more steps</li>}
    </ol>
  )
}

function nameOf({ step, name, count, outcome }: Step): string {
  const title = titles[step] ?? step
  const label = name === '' ? title : `${title} ${name}`
  const often = count > 1 ? ` × ${count}` : ''
  const shown = outcome === 'ok' || outcome === 'answered' || outcome === 'taken'
  return `${label}${often}${shown ? '' : `: ${outcome}`}`
}

function classOf({ step, outcome }: Step): string {
  return [inner.has(step) ? 'inner' : '', step, fine.has(outcome) ? '' : 'bad'].join(' ').trim()
}
