// Requests to pin content that are queued, running or failed: state, age, attempts, last error, remove.
// Tested by test/browser/files.test.ts
import { useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { formatBytes, formatNumber, formatTime } from '../app/format.ts'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { useMay } from '../app/use-may.ts'
import type { AdminReply } from '../../src/admin/client.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { Table } from '../ui/table.tsx'
import { useToast } from '../ui/toast.tsx'

type Request = AdminReply<'GET /accounts/{account}/pin-requests'>['requests'][number]

export function PinRequests() {
  const account = useAccount()
  const isOwner = useMay('owner')
  const [leaving, setLeaving] = useState<Request | null>(null)
  const toast = useToast()
  const found = useLoaded(
    (signal) => call('GET /accounts/{account}/pin-requests', { account: account.id }, signal),
    [account.id],
  )
  // Most accounts have none: nothing is shown for them.
  if (found.value !== undefined && found.value.count === 0) return null
  return (
    <Card
      title="Pin requests"
      about="Content requested through the Pinning Service API that isn't pinned yet."
      flush
    >
      <Show loaded={found}>
        {({ requests, count }) => (
          <>
            <Table
              caption="Pin requests"
              rows={requests}
              keyOf={({ id }) => id}
              empty={<Empty title="No waiting or failed requests" />}
              columns={[
                {
                  title: 'Name',
                  cell: ({ name }) => (name === '' ? <span class="soft">Untitled</span> : name),
                },
                {
                  title: 'CID',
                  cell: ({ cid }) => (
                    <span class="value">
                      <span class="mono">{cid}</span>
                      <CopyButton text={cid} title="Copy the CID" />
                    </span>
                  ),
                },
                { title: 'State', cell: (request) => <State request={request} /> },
                { title: 'Requested', cell: ({ created }) => formatTime(created) },
                { title: 'Tries', number: true, cell: ({ tries }) => formatNumber(tries) },
                { title: 'Last error', cell: ({ error }) => error ?? '' },
                {
                  title: 'Actions',
                  actions: true,
                  cell: (request) =>
                    isOwner && (
                      <button
                        class="button small danger"
                        type="button"
                        onClick={() => setLeaving(request)}
                      >
                        Remove
                      </button>
                    ),
                },
              ]}
            />
            {count > requests.length && (
              <p class="pages soft">{`The newest ${formatNumber(requests.length)} of ${formatNumber(count)}`}</p>
            )}
          </>
        )}
      </Show>
      {leaving !== null && (
        <ConfirmDialog
          title="Remove this request?"
          action="Remove request"
          onClose={() => setLeaving(null)}
          onConfirm={async () => {
            await call('DELETE /accounts/{account}/pin-requests/{request}', {
              account: account.id,
              request: leaving.id,
            })
            toast('Request removed')
            found.again()
          }}
        >
          <p>Cairn no longer tries to pin this content.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

function State({ request: { status, bytes, due } }: { readonly request: Request }) {
  if (status === 'failed') return <Badge tone="bad">failed</Badge>
  if (status === 'pinning') return <span>{`Pinning · ${formatBytes(bytes)}`}</span>
  return <span>{`Queued · next try ${formatTime(due)}`}</span>
}
