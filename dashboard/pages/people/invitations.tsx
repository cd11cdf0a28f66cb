// Open invitations of an account or of the whole server.
import { call, messageOf } from '../../app/api.ts'
import { formatSince, formatTime } from '../../app/format.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import { State } from '../../ui/badge.tsx'
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
                { title: 'For', cell: ({ email }) => email ?? 'Any holder of the link' },
                {
                  title: 'Role',
                  cell: ({ role, accountName }) =>
                    `${role.charAt(0).toUpperCase()}${role.slice(1)}${accountName === null ? '' : ` of ${accountName}`}`,
                },
                {
                  title: 'Expires',
                  cell: ({ expires }) => (
                    <span title={formatTime(expires)}>
                      <State tone="warn">{`Expires ${formatSince(expires, Date.now())}`}</State>
                    </span>
                  ),
                },
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
