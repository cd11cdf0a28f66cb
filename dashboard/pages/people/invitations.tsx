// Invitations that can still be taken, of an account or of the whole server.
import type { listInvitations } from '../../../src/gateway/admin/list-invitations.ts'
import type { withdrawInvitation } from '../../../src/gateway/admin/withdraw-invitation.ts'
import { call, messageOf } from '../../app/api.ts'
import { formatTime } from '../../app/format.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import { Card } from '../../ui/card.tsx'
import { Show } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'

export function Invitations({
  list,
  withdraw,
  sent,
}: {
  /** Operations; those of the server answer as those of an account do. */
  readonly list: 'GET /accounts/{account}/invitations' | 'GET /invitations'
  readonly withdraw:
    | 'DELETE /accounts/{account}/invitations/{invitation}'
    | 'DELETE /invitations/{invitation}'
  readonly sent: Readonly<Record<string, string>>
}) {
  const toast = useToast()
  const open = useLoaded((signal) => call<typeof listInvitations>(list, sent, signal), [list])
  const end = async (invitation: string): Promise<void> => {
    await call<typeof withdrawInvitation>(withdraw, { ...sent, invitation }).catch(
      (error: unknown) => toast(messageOf(error), 'bad'),
    )
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
                { title: 'For', cell: ({ email }) => email ?? 'whoever has the link' },
                { title: 'As', cell: ({ role }) => role },
                { title: 'Account', cell: ({ accountName }) => accountName ?? '–' },
                { title: 'Until', cell: ({ expires }) => formatTime(expires) },
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
