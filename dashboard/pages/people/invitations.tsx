// Open invitations of an account or of the whole server.
import { call, messageOf } from '../../app/api.ts'
import { formatTime } from '../../app/format.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import { Card } from '../../ui/card.tsx'
import { Show } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'

export function Invitations({
  account,
}: {
  /** Null: of the whole server. */
  readonly account: string | null
}) {
  const toast = useToast()
  const open = useLoaded(
    (signal) =>
      account === null
        ? call('GET /invitations', {}, signal)
        : call('GET /accounts/{account}/invitations', { account }, signal),
    [account],
  )
  const end = async (invitation: string): Promise<void> => {
    const ended =
      account === null
        ? call('DELETE /invitations/{invitation}', { invitation })
        : call('DELETE /accounts/{account}/invitations/{invitation}', { account, invitation })
    await ended.catch((error: unknown) => toast(messageOf(error), 'bad'))
    open.again()
  }
  return (
    <Show loaded={open}>
      {({ invitations }) =>
        invitations.length > 0 && (
          <Card title="Open invitations" flush>
            <Table
              caption="Open invitations"
              rows={invitations}
              keyOf={({ id }) => id}
              columns={[
                { title: 'For', cell: ({ email }) => email ?? 'any holder of the link' },
                { title: 'Role', cell: ({ role }) => role },
                { title: 'Account', cell: ({ accountName }) => accountName ?? '–' },
                { title: 'Expires', cell: ({ expires }) => formatTime(expires) },
                {
                  title: 'Withdraw',
                  actions: true,
                  cell: ({ id }) => (
                    <button class="button small" type="button" onClick={() => void end(id)}>
                      Withdraw
                    </button>
                  ),
                },
              ]}
            />
          </Card>
        )
      }
    </Show>
  )
}
