// Access tokens, with which programs act for the signed-in person: `cairn --url` and scripts.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { useSession } from '../../app/session.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { useConfirming } from '../../ui/confirming.tsx'
import { Day } from '../../ui/day.tsx'
import { SecretOnce } from '../../ui/copy.tsx'
import { Cancel, ConfirmDialog, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { Icon } from '../../ui/icons.tsx'
import { NameField } from '../../ui/name-field.tsx'
import { Empty, Show } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'
import { endOf, type KeyEnd, keyEnds } from '../keys/key-end.ts'

type Token = AdminReply<'GET /me/tokens'>['tokens'][number]

/** The name of the token, or its first characters. */
function titleOf({ name, prefix }: Token): string {
  return name === '' ? `${prefix}…` : name
}

export function Tokens() {
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Token | null>(null)
  const tokens = useLoaded((signal) => call('GET /me/tokens', {}, signal), [])
  return (
    <Card
      title="Access tokens"
      about="For programs that act for you, as cairn --url with CAIRN_TOKEN."
      flush
      actions={
        <button class="button small" type="button" onClick={() => setCreating(true)}>
          <Icon name="plus" size={16} /> Create token
        </button>
      }
    >
      <Show loaded={tokens}>
        {({ tokens: rows }) => (
          <Table
            caption="Access tokens"
            rows={rows}
            keyOf={({ id }) => id}
            empty={<Empty title="No tokens yet" />}
            columns={[
              { title: 'Name', cell: ({ name }) => (name === '' ? 'Untitled' : name) },
              { title: 'Starts with', cell: ({ prefix }) => <span class="mono">{prefix}…</span> },
              { title: 'Role', cell: ({ role }) => role },
              { title: 'Last used', cell: ({ lastUsedDay }) => lastUsedDay ?? 'never' },
              {
                title: 'Expires',
                cell: ({ expires, revoked }) =>
                  revoked !== null ? (
                    <Badge tone="bad">Revoked</Badge>
                  ) : expires === null ? (
                    'never'
                  ) : (
                    <Day time={expires} />
                  ),
              },
              {
                title: 'Revoke',
                actions: true,
                cell: (token) =>
                  token.revoked === null && (
                    <button
                      class="button small danger"
                      type="button"
                      onClick={() => setRevoking(token)}
                    >
                      Revoke
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Show>
      {creating && <CreateToken onCreated={tokens.again} onClose={() => setCreating(false)} />}
      {revoking !== null && (
        <ConfirmDialog
          title={`Revoke ${titleOf(revoking)}?`}
          action={`Revoke ${titleOf(revoking)}`}
          onClose={() => setRevoking(null)}
          onConfirm={async () => {
            await call('DELETE /me/tokens/{token}', { token: revoking.id })
            tokens.again()
          }}
        >
          Cairn refuses programs that use this token from now on.
        </ConfirmDialog>
      )}
    </Card>
  )
}

function CreateToken({ onCreated, onClose }: { onCreated(): void; onClose(): void }) {
  const { isOperator, accounts, tokenDaysMax } = useSession()
  const isOwner = isOperator || accounts.some(({ role }) => role === 'owner')
  const roles = [
    { value: 'member', title: 'Member: can view accounts' } as const,
    ...(isOwner ? [{ value: 'owner', title: 'Owner: can change accounts' } as const] : []),
    ...(isOperator
      ? [{ value: 'operator', title: 'Operator: can administer the server' } as const]
      : []),
  ]
  const ends = keyEnds.filter(
    ({ days }) => tokenDaysMax === null || (days !== null && days <= tokenDaysMax),
  )
  const longest = { value: 'never', title: `In ${tokenDaysMax} days` } as const
  const sending = useSending()
  const confirming = useConfirming()
  const [name, setName] = useState('')
  const [role, setRole] = useState<'member' | 'owner' | 'operator'>('member')
  const [end, setEnd] = useState<KeyEnd>(() =>
    tokenDaysMax === null || tokenDaysMax >= 90 ? '90' : tokenDaysMax >= 30 ? '30' : 'never',
  )
  const [text, setText] = useState<string | null>(null)
  if (text !== null) {
    return (
      <Dialog title="Token created" firm onClose={onClose}>
        <SecretOnce rows={[{ title: 'Token', text }]} />
        <DialogFoot done="I have saved it" onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <Dialog title="Create token" onClose={onClose}>
      <Form
        sending={sending}
        action="Create token"
        fields={['name']}
        onSend={async () => {
          const sent = { name, role, expires: endOf(end, Date.now()) }
          const create = () => call('POST /me/tokens', sent)
          setText((await confirming(create)).text)
          onCreated()
        }}
        secondary={<Cancel onClose={onClose} />}
      >
        <NameField
          hint="The program that uses the token."
          value={name}
          sending={sending}
          onValue={setName}
        />
        <SelectField title="Role" value={role} options={roles} onValue={setRole} />
        <SelectField
          title="Expires"
          value={end}
          options={ends.length === 0 ? [longest] : ends}
          onValue={setEnd}
        />
      </Form>
    </Dialog>
  )
}
