// The upstreams of the networks: their health, invalid replies, and recent errors of the server. For operators.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
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
type InvalidReply = Found['lies'][number]
type RecentError = AdminReply<'GET /errors'>['errors'][number]

const refreshMs = 5_000

export function UpstreamsPage() {
  const [opened, setOpened] = useState<InvalidReply | null>(null)
  const found = useLoaded((signal) => call('GET /upstreams', {}, signal), [], {
    everyMs: refreshMs,
  })
  return (
    <>
      <PageHead
        title="Networks"
        about="Cairn requests missing data from these nodes and proves their replies."
      />
      <Show loaded={found}>
        {({ upstreams, alarms, lies }) => (
          <>
            {alarms.map(({ network, need, since }) => (
              <Note key={`${network} ${need}`} tone="bad">
                No upstream of {network} has sent provable {need} since {formatTime(since)}.
              </Note>
            ))}
            <Card flush>
              <Table
                caption="Upstreams"
                columns={upstreamColumns}
                rows={upstreams}
                keyOf={({ network, name }) => `${network} ${name}`}
                empty={
                  <Empty title="Only the local chain so far">
                    Add your own nodes or a provider with the setting networks. Cairn checks their
                    replies.
                  </Empty>
                }
              />
            </Card>
            <Card
              title="Invalid replies"
              about="Replies that contradict a hash fixed by the request, with the evidence. Cairn sent none of them to a client."
              flush
            >
              <Table
                caption="Invalid replies"
                rows={lies.map((reply, at) => ({ reply, at }))}
                keyOf={({ reply, at }) => `${reply.time} ${at}`}
                empty={<Empty title="No invalid replies detected" />}
                columns={replyColumns(setOpened)}
              />
            </Card>
          </>
        )}
      </Show>
      <RecentErrors />
      {opened !== null && <Evidence reply={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

function RecentErrors() {
  const found = useLoaded((signal) => call('GET /errors', {}, signal), [], {
    everyMs: refreshMs,
  })
  return (
    <Show loaded={found}>
      {({ errors }) => (
        <Card
          title="Recent errors"
          about="Requests that failed because of the server or its upstreams, since the start. The request ID is in the log and in the reply."
          flush
        >
          <Table
            caption="Recent errors"
            rows={errors}
            keyOf={({ api, network, method, code }) => `${api} ${network} ${method} ${code}`}
            empty={<Empty title="No errors since the start" />}
            columns={errorColumns}
          />
        </Card>
      )}
    </Show>
  )
}

const apis: Readonly<Record<RecentError['api'], string>> = {
  rpc: 'JSON-RPC',
  ipfs: 'IPFS',
  gateway: 'Gateway',
  admin: 'Admin',
}

const errorColumns: readonly Column<RecentError>[] = [
  { title: 'Method', cell: ({ method }) => method || '–' },
  {
    title: 'API',
    cell: ({ api, network }) => (network === null ? apis[api] : `${apis[api]} (${network})`),
  },
  { title: 'Error', cell: ({ code }) => <span class="mono">{code}</span> },
  { title: 'Status', number: true, cell: ({ status }) => (status === null ? '–' : String(status)) },
  { title: 'Count', number: true, cell: ({ count }) => formatNumber(count) },
  { title: 'Last', cell: ({ last }) => formatTime(last) },
  { title: 'Request ID', cell: ({ requestId }) => <span class="mono">{requestId}</span> },
]

const states: Readonly<Record<Upstream['state'], readonly [tone: Tone, title: string]>> = {
  ok: ['good', 'Healthy'],
  open: ['warn', 'Paused after failures'],
  quarantined: ['bad', 'Quarantined'],
  cordoned: ['warn', 'Cordoned'],
  'wrong-chain': ['bad', 'Wrong network'],
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
    title: 'Invalid replies',
    number: true,
    cell: ({ lies }) => (lies === 0 ? '0' : <Badge tone="bad">{lies}</Badge>),
  },
]

function replyColumns(
  open: (reply: InvalidReply) => void,
): readonly Column<{ readonly reply: InvalidReply; readonly at: number }>[] {
  return [
    { title: 'Method', cell: ({ reply }) => reply.method },
    { title: 'Time', cell: ({ reply }) => formatTime(reply.time) },
    { title: 'Upstream', cell: ({ reply }) => `${reply.upstream} (${reply.network})` },
    {
      title: 'Evidence',
      actions: true,
      cell: ({ reply }) => (
        <button class="button small" type="button" onClick={() => open(reply)}>
          Evidence
        </button>
      ),
    },
  ]
}

function Evidence({ reply, onClose }: { readonly reply: InvalidReply; onClose(): void }) {
  return (
    <Dialog title={`Invalid reply of ${reply.upstream}`} onClose={onClose} look="wide">
      <Facts
        rows={[
          ['Time', formatTime(reply.time)],
          ['Method', reply.method],
          [
            'Block',
            <span key="block" class="mono">
              {reply.block ?? 'none'}
            </span>,
          ],
          [
            'Expected',
            <span key="expected" class="mono">
              {reply.expected}
            </span>,
          ],
          [
            'Computed',
            <span key="computed" class="mono">
              {reply.computed}
            </span>,
          ],
        ]}
      />
      <div class="stack tight">
        <h3>Request</h3>
        <CodeBlock title="the request" text={reply.params} wrapped />
      </div>
      <div class="stack tight">
        <h3>Reply</h3>
        <CodeBlock title="the reply" text={reply.response} wrapped />
      </div>
      <DialogFoot onClose={onClose} />
    </Dialog>
  )
}
