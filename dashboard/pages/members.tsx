// Members and open invitations of the account.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call, messageOf } from '../app/api.ts'
import { useAccount, useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { useMay } from '../app/use-may.ts'
import { Badge, State } from '../ui/badge.tsx'
import { Card, PageHead } from '../ui/card.tsx'
import { Day } from '../ui/day.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { useToast } from '../ui/toast.tsx'
import { SearchBox } from '../ui/toolbar.tsx'
import { InviteDialog } from './people/invite-dialog.tsx'
import { Invitations } from './people/invitations.tsx'
import { isFound, PersonCell } from './people/person-cell.tsx'
import { factorsOf, signInOf } from './people/sign-in-means.ts'

type Member = AdminReply<'GET /accounts/{account}/members'>['members'][number]

export function MembersPage() {
  const { id: account, name } = useAccount()
  const { mayInvite } = useSession()
  const isOwner = useMay('owner')
  const [inviting, setInviting] = useState(false)
  const [round, setRound] = useState(0)
  return (
    <>
      <PageHead
        title="Members"
        about={`Members can view ${name}, owners can change it.`}
        actions={
          isOwner &&
          mayInvite && (
            <button class="button primary" type="button" onClick={() => setInviting(true)}>
              <Icon name="plus" /> Invite
            </button>
          )
        }
      />
      <Members />
      {isOwner && <Invitations key={round} account={account} />}
      {inviting && (
        <InviteDialog
          account={account}
          onCreated={() => setRound(round + 1)}
          onClose={() => setInviting(false)}
        />
      )}
    </>
  )
}

function Members() {
  const { id: account } = useAccount()
  const { person: me, reload } = useSession()
  const isOwner = useMay('owner')
  const toast = useToast()
  const [removing, setRemoving] = useState<Member | null>(null)
  const [text, setText] = useState('')
  const members = useLoaded(
    (signal) => call('GET /accounts/{account}/members', { account }, signal),
    [account],
  )
  const changeRole = async ({ personId, role }: Member): Promise<void> => {
    const sent = { account, person: personId, role: role === 'owner' ? 'member' : 'owner' } as const
    await call('PATCH /accounts/{account}/members/{person}', sent).catch((error: unknown) =>
      toast(messageOf(error), 'bad'),
    )
    members.again()
    if (personId === me.id) reload()
  }
  const columns: readonly Column<Member>[] = [
    {
      title: 'Person',
      sort: ({ name, email }) => (name || email).toLowerCase(),
      cell: ({ name, email, personId }) => (
        <PersonCell name={name} email={email} isMe={personId === me.id} />
      ),
    },
    {
      title: 'Role',
      keep: true,
      cell: ({ role }) => <State tone="good">{role === 'owner' ? 'Owner' : 'Member'}</State>,
    },
    { title: 'Since', sort: ({ since }) => since, cell: ({ since }) => <Day time={since} /> },
    {
      title: 'Sign-in',
      cell: (member) =>
        member.disabled ? (
          <Badge tone="bad">Disabled</Badge>
        ) : (
          <Badge tone={factorsOf(member) === '' ? 'plain' : 'good'}>{signInOf(member)}</Badge>
        ),
    },
  ]
  const actions: Column<Member> = {
    title: 'Actions',
    actions: true,
    cell: (member) => (
      <Menu
        title={`Actions for ${member.email}`}
        small
        items={[
          {
            title: member.role === 'owner' ? 'Make a member' : 'Make an owner',
            onChoose: () => void changeRole(member),
          },
          {
            title: 'Remove…',
            icon: 'trash',
            danger: true,
            onChoose: () => setRemoving(member),
          },
        ]}
      />
    ),
  }
  return (
    <>
      <div class="toolbar">
        <SearchBox title="Name or email" value={text} onValue={setText} />
      </div>
      <Card flush>
        <Show loaded={members}>
          {({ members: rows }) => (
            <Table
              caption="Members"
              rows={rows.filter((row) => isFound(row, text))}
              filteredBy={text}
              empty={<Empty title="No members match" />}
              keyOf={({ personId }) => personId}
              columns={isOwner ? [...columns, actions] : columns}
            />
          )}
        </Show>
      </Card>
      {removing !== null && (
        <ConfirmDialog
          title={`Remove ${removing.name === '' ? removing.email : removing.name}?`}
          action={`Remove ${removing.name === '' ? removing.email : removing.name}`}
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            const sent = { account, person: removing.personId }
            await call('DELETE /accounts/{account}/members/{person}', sent)
            members.again()
            if (removing.personId === me.id) reload()
          }}
        >
          They lose access to this account. API keys that they know still work: rotate those.
        </ConfirmDialog>
      )}
    </>
  )
}
