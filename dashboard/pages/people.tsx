// All people who can sign in, for operators.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatNumber } from '../app/format.ts'
import { useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { State } from '../ui/badge.tsx'
import { Card, PageHead } from '../ui/card.tsx'
import { useConfirming } from '../ui/confirming.tsx'
import { Day } from '../ui/day.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/menu.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { Table } from '../ui/table.tsx'
import { SearchBox } from '../ui/toolbar.tsx'
import { InviteDialog } from './people/invite-dialog.tsx'
import { Invitations } from './people/invitations.tsx'
import { isFound, PersonCell } from './people/person-cell.tsx'
import { factorsOf } from './people/sign-in-means.ts'

type Person = AdminReply<'GET /people'>['people'][number]
type Act = {
  /** Text of the button in the person's row. */
  readonly button: string
  /** Text in the confirmation dialog: a verb and the person. */
  readonly action: string
  readonly harmless: boolean
  /** Removes access, so it is last and red. */
  readonly isLast?: true
  readonly title: string
  readonly about: string
  readonly run: () => Promise<unknown>
}

export function PeoplePage() {
  const { person: me } = useSession()
  const confirming = useConfirming()
  const [inviting, setInviting] = useState(false)
  const [round, setRound] = useState(0)
  const [pendingAct, setPendingAct] = useState<Act | null>(null)
  const [text, setText] = useState('')
  const people = useLoaded((signal) => call('GET /people', {}, signal), [])
  return (
    <>
      <PageHead
        title="People"
        about="Everyone who can sign in to this server."
        actions={
          <button class="button primary" type="button" onClick={() => setInviting(true)}>
            <Icon name="plus" /> Invite
          </button>
        }
      />
      <div class="toolbar">
        <SearchBox title="Name or email" value={text} onValue={setText} />
      </div>
      <Card flush>
        <Show loaded={people}>
          {({ people: rows }) => (
            <Table
              caption="People"
              rows={rows.filter((row) => isFound(row, text))}
              filteredBy={text}
              empty={<Empty title="No people match" />}
              keyOf={({ id }) => id}
              foot={<span>{summaryOf(rows)}</span>}
              columns={[
                {
                  title: 'Person',
                  sort: ({ name, email }) => (name || email).toLowerCase(),
                  cell: ({ id, name, email }) => (
                    <PersonCell name={name} email={email} isMe={id === me.id} />
                  ),
                },
                {
                  title: 'Since',
                  sort: ({ created }) => created,
                  cell: ({ created }) => <Day time={created} />,
                },
                {
                  title: 'State',
                  keep: true,
                  cell: ({ disabled, isOperator }) =>
                    disabled === null ? (
                      <State tone="good">{isOperator ? 'Operator' : 'Active'}</State>
                    ) : (
                      <State>Disabled</State>
                    ),
                },
                {
                  title: 'Second factor',
                  hides: 'wide',
                  cell: (person) => {
                    const factors = factorsOf(person)
                    return factors === '' ? (
                      <State tone="warn">None</State>
                    ) : (
                      <State tone="good">{factors}</State>
                    )
                  },
                },
                {
                  title: 'Actions',
                  actions: true,
                  cell: (person) =>
                    person.id !== me.id && (
                      <Menu
                        title={`Actions for ${person.email}`}
                        small
                        items={actsOn(person).map((act) => ({
                          title: `${act.button}…`,
                          danger: act.isLast === true,
                          onChoose: () => setPendingAct(act),
                        }))}
                      />
                    ),
                },
              ]}
            />
          )}
        </Show>
      </Card>
      <Invitations key={round} account={null} />
      {inviting && (
        <InviteDialog
          account={null}
          onCreated={() => setRound(round + 1)}
          onClose={() => setInviting(false)}
        />
      )}
      {pendingAct !== null && (
        <ConfirmDialog
          title={pendingAct.title}
          action={pendingAct.action}
          harmless={pendingAct.harmless}
          onClose={() => setPendingAct(null)}
          onConfirm={async () => {
            await confirming(pendingAct.run)
            people.again()
          }}
        >
          {pendingAct.about}
        </ConfirmDialog>
      )}
    </>
  )
}

function summaryOf(people: readonly Person[]): string {
  const open = people.filter((one) => one.disabled === null && factorsOf(one) === '').length
  const count = people.length === 1 ? '1 person' : `${formatNumber(people.length)} people`
  return open === 0 ? count : `${count} · ${formatNumber(open)} without a second factor`
}

function actsOn({
  id: person,
  email,
  isOperator,
  disabled,
  hasTotp,
  passkeys,
  issuer,
}: Person): readonly Act[] {
  const change = (sent: Readonly<Record<string, boolean>>) => () =>
    call('PATCH /people/{person}', { person, ...sent })
  return [
    {
      button: isOperator ? 'Remove operator role' : 'Make operator',
      action: isOperator ? `Remove operator role of ${email}` : `Make ${email} an operator`,
      harmless: !isOperator,
      title: isOperator ? `Remove the operator role of ${email}?` : `Make ${email} an operator?`,
      about: isOperator
        ? 'They keep their accounts. Their sessions end.'
        : 'Operators can view and change every account and the server.',
      run: change({ isOperator: !isOperator }),
    },
    ...(hasTotp || passkeys > 0
      ? [
          {
            button: 'Reset sign-in',
            action: `Reset sign-in of ${email}`,
            harmless: false,
            title: `Remove the authenticator and the passkeys of ${email}?`,
            about:
              'Use this if they lost them. They then sign in with only the password until they set up new ones.',
            run: () => call('POST /people/{person}/totp/reset', { person }),
          },
        ]
      : []),
    ...(issuer === null
      ? []
      : [
          {
            button: 'Unlink OpenID',
            action: `Unlink OpenID of ${email}`,
            harmless: false,
            title: `Unlink the OpenID identity of ${email}?`,
            about: `They can no longer sign in with their identity at ${issuer}, and their sessions end.`,
            run: () => call('DELETE /people/{person}/identity', { person }),
          },
        ]),
    {
      button: 'Sign out',
      action: `Sign out ${email}`,
      harmless: false,
      title: `Sign ${email} out everywhere?`,
      about: 'All their sessions end. Their access tokens still work.',
      run: () => call('POST /people/{person}/sessions/end', { person }),
    },
    {
      button: disabled === null ? 'Disable' : 'Enable',
      action: `${disabled === null ? 'Disable' : 'Enable'} ${email}`,
      harmless: disabled !== null,
      ...(disabled === null ? { isLast: true as const } : {}),
      title: disabled === null ? `Disable ${email}?` : `Enable ${email}?`,
      about:
        disabled === null
          ? 'They can no longer sign in, and their sessions and tokens stop working. API keys still work.'
          : 'They can sign in again.',
      run: change({ disabled: disabled === null }),
    },
  ]
}
