// The upstreams behind the networks: how each stands, and the lies it was caught in. For operators.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/gateway/admin/client.ts'
import { call } from '../app/api.ts'
import { formatMs, formatNumber, formatTime } from '../app/format.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Card, Facts, PageHead } from '../ui/card.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { Dialog, DialogFoot } from '../ui/dialog.tsx'
import { Empty, Note, Show } from '../ui/note.tsx'
import { type Column, Table } from '../ui/table.tsx'

type Found = AdminReply<'GET /upstreams'>
type Upstream = Found['upstreams'][number]
type Lie = Found['lies'][number]

const lookMs = 5_000

export function UpstreamsPage() {
  const [opened, setOpened] = useState<Lie | null>(null)
  const found = useLoaded((signal) => call('GET /upstreams', {}, signal), [], {
    everyMs: lookMs,
  })
  return (
    <>
      <PageHead
        title="Upstreams"
        about="Nodes that are asked for what is not kept here. What they say is proved before it is given."
      />
      <Show loaded={found}>
        {({ upstreams, alarms, lies }) => (
          <>
            {alarms.map(({ network, need, since }) => (
              <Note key={`${network} ${need}`} tone="bad">
                No upstream of {network} gives {need} that can be proved, since {formatTime(since)}.
              </Note>
            ))}
            <Card flush>
              <Table
                caption="Upstreams"
                columns={upstreamColumns}
                rows={upstreams}
                keyOf={({ network, name }) => `${network} ${name}`}
                empty={
                  <Empty title="No upstream">
                    Every network here is a chain of its own. The setting networks names others.
                  </Empty>
                }
              />
            </Card>
            <Card
              title="Lies"
              about="Replies that contradict a hash fixed by the request, with what proves it. None of them was handed on."
              flush
            >
              <Table
                caption="Lies"
                rows={lies.map((lie, at) => ({ lie, at }))}
                keyOf={({ lie, at }) => `${lie.time} ${at}`}
                empty={<Empty title="None was caught in a lie" />}
                columns={lieColumns(setOpened)}
              />
            </Card>
          </>
        )}
      </Show>
      {opened !== null && <Evidence lie={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

const states: Readonly<Record<Upstream['state'], readonly [tone: Tone, title: string]>> = {
  ok: ['good', 'Answers'],
  open: ['warn', 'Rests after failures'],
  quarantined: ['bad', 'Quarantined'],
  cordoned: ['warn', 'Cordoned'],
  'wrong-chain': ['bad', 'Another chain'],
}

const upstreamColumns: readonly Column<Upstream>[] = [
  { title: 'Upstream', cell: ({ name }) => name },
  { title: 'Network', cell: ({ network }) => network },
  { title: 'Address', cell: ({ url }) => <span class="mono">{url}</span> },
  {
    title: 'State',
    cell: ({ state, trusted }) => (
      <span class="row tight-row">
        <Badge tone={states[state][0]}>{states[state][1]}</Badge>
        {trusted && <Badge>Trusted</Badge>}
      </span>
    ),
  },
  { title: 'p95', number: true, cell: ({ p95Ms }) => (p95Ms === null ? '–' : formatMs(p95Ms)) },
  {
    title: 'Success',
    number: true,
    cell: ({ successRate }) => `${(successRate * 100).toFixed(0)} %`,
  },
  {
    title: 'Head',
    number: true,
    cell: ({ head }) => (head === null ? '–' : formatNumber(Number(head))),
  },
  { title: 'Heads', cell: ({ heads }) => (heads === 'pushed' ? 'Pushed' : 'Polled') },
  { title: 'Lag', number: true, cell: ({ lag }) => (lag === null ? '–' : String(lag)) },
  {
    title: 'Lies',
    number: true,
    cell: ({ lies }) => (lies === 0 ? '0' : <Badge tone="bad">{lies}</Badge>),
  },
]

function lieColumns(
  open: (lie: Lie) => void,
): readonly Column<{ readonly lie: Lie; readonly at: number }>[] {
  return [
    { title: 'Method', cell: ({ lie }) => lie.method },
    { title: 'When', cell: ({ lie }) => formatTime(lie.time) },
    { title: 'Upstream', cell: ({ lie }) => `${lie.upstream} (${lie.network})` },
    {
      title: 'Evidence',
      actions: true,
      cell: ({ lie }) => (
        <button class="button small" type="button" onClick={() => open(lie)}>
          Evidence
        </button>
      ),
    },
  ]
}

function Evidence({ lie, onClose }: { readonly lie: Lie; onClose(): void }) {
  return (
    <Dialog title={`A lie of ${lie.upstream}`} onClose={onClose} wide>
      <Facts
        rows={[
          ['When', formatTime(lie.time)],
          ['Method', lie.method],
          [
            'Block',
            <span key="block" class="mono">
              {lie.block ?? 'none'}
            </span>,
          ],
          [
            'Was to be',
            <span key="expected" class="mono">
              {lie.expected}
            </span>,
          ],
          [
            'Was',
            <span key="computed" class="mono">
              {lie.computed}
            </span>,
          ],
        ]}
      />
      <div class="stack tight">
        <h3>Asked</h3>
        <CodeBlock title="what was asked" text={lie.params} wrapped />
      </div>
      <div class="stack tight">
        <h3>Replied</h3>
        <CodeBlock title="what was replied" text={lie.response} wrapped />
      </div>
      <DialogFoot onClose={onClose} />
    </Dialog>
  )
}
