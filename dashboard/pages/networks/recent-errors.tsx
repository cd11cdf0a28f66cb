// Requests that failed because of the server or its upstreams.
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { formatAgo, formatNumber, formatTime } from '../../app/format.ts'
import { outcomeTitle } from '../../app/outcome.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Show } from '../../ui/note.tsx'
import { type Column, Table } from '../../ui/table.tsx'

type RecentError = AdminReply<'GET /errors'>['errors'][number]

const refreshMs = 5_000

export function RecentErrors() {
  const found = useLoaded((signal) => call('GET /errors', {}, signal), [], {
    everyMs: refreshMs,
  })
  return (
    <Show loaded={found}>
      {({ errors }) =>
        errors.length > 0 && (
          <Card
            title="Recent errors"
            about="Requests that failed because of the server or its upstreams, since the start. The request ID is in the log and in the reply."
            flush
          >
            <Table
              caption="Recent errors"
              dense
              pageSize={10}
              rows={errors}
              keyOf={({ api, network, method, code }) => `${api} ${network} ${method} ${code}`}
              columns={errorColumns}
            />
          </Card>
        )
      }
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
  {
    title: 'Error',
    cell: ({ code, status }) => (
      <span>
        {outcomeTitle(code)} <span class="mono soft">{status ?? code}</span>
      </span>
    ),
  },
  { title: 'Count', number: true, cell: ({ count }) => formatNumber(count) },
  {
    title: 'Last',
    cell: ({ last }) => (
      <span class="soft" title={formatTime(last)}>
        {formatAgo(last, Date.now())}
      </span>
    ),
  },
  {
    title: 'Request ID',
    hides: 'wide',
    cell: ({ requestId }) => (
      <span class="cid mono" title={requestId}>
        {requestId.slice(0, 12)}…
        <CopyButton text={requestId} title="Copy the request ID" />
      </span>
    ),
  },
]
