// Sessions of the signed-in person.
import { call, messageOf } from '../../app/api.ts'
import { browserName } from '../../app/browser-name.ts'
import { formatSince, formatTime } from '../../app/format.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Show } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'

export function Sessions() {
  const toast = useToast()
  const sessions = useLoaded((signal) => call('GET /me/sessions', {}, signal), [])
  const run = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((error: unknown) => toast(messageOf(error), 'bad'))
    sessions.again()
  }
  return (
    <Card
      title="Sessions"
      flush
      actions={
        <button
          class="button small"
          type="button"
          onClick={() => void run(call('DELETE /me/sessions'))}
        >
          End all other sessions
        </button>
      }
    >
      <Show loaded={sessions}>
        {({ sessions: rows }) => (
          <Table
            caption="Sessions"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Browser', cell: ({ agent }) => browserName(agent) },
              { title: 'From', cell: ({ address }) => address ?? 'not recorded' },
              { title: 'Signed in', cell: ({ created }) => formatTime(created) },
              {
                title: 'Last seen',
                cell: ({ isThis, lastSeen }) =>
                  isThis ? (
                    <Badge tone="good">This session</Badge>
                  ) : (
                    formatSince(lastSeen, Date.now())
                  ),
              },
              {
                title: 'End',
                actions: true,
                cell: ({ id, isThis }) =>
                  !isThis && (
                    <button
                      class="button small"
                      type="button"
                      onClick={() =>
                        void run(call('DELETE /me/sessions/{session}', { session: id }))
                      }
                    >
                      End
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Show>
    </Card>
  )
}
