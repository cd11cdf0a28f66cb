// Passkeys of the signed-in person: added with the password, listed, removed.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { browserName } from '../../app/browser-name.ts'
import { formatSince } from '../../app/format.ts'
import { makePasskey, whyNoPasskeys } from '../../app/passkey.ts'
import { hasUsablePassword } from '../../app/usable-password.ts'
import { useSession } from '../../app/session.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { useConfirming } from '../../ui/confirming.tsx'
import { Card } from '../../ui/card.tsx'
import { Day } from '../../ui/day.tsx'
import { Cancel, ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { Icon } from '../../ui/icons.tsx'
import { NameField } from '../../ui/name-field.tsx'
import { Empty, Show } from '../../ui/note.tsx'
import { NoPasskeys } from '../../ui/no-passkeys.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { Table } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'

type Passkey = AdminReply<'GET /me/passkeys'>['passkeys'][number]

export function Passkeys() {
  const { reload } = useSession()
  const confirming = useConfirming()
  const toast = useToast()
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const passkeys = useLoaded((signal) => call('GET /me/passkeys', {}, signal), [])
  const whyNot = whyNoPasskeys()
  const again = (): void => {
    passkeys.again()
    reload()
  }
  return (
    <Card
      title="Passkeys"
      about={
        <>
          Sign in with a fingerprint, face or PIN instead of password and code.
          {whyNot !== null && (
            <>
              {' '}
              <NoPasskeys {...whyNot} />
            </>
          )}
        </>
      }
      flush
      actions={
        whyNot === null && (
          <button class="button small" type="button" onClick={() => setAdding(true)}>
            <Icon name="plus" size={16} /> Add passkey
          </button>
        )
      }
    >
      <Show loaded={passkeys}>
        {({ passkeys: rows }) => (
          <Table
            caption="Passkeys"
            rows={rows}
            keyOf={({ id }) => id}
            empty={<Empty title="No passkeys yet" />}
            columns={[
              { title: 'Name', cell: ({ name }) => name },
              { title: 'Host name', cell: ({ rpId }) => <span class="mono">{rpId}</span> },
              { title: 'Added', cell: ({ created }) => <Day time={created} /> },
              {
                title: 'Last used',
                cell: ({ lastUsed }) =>
                  lastUsed === null ? 'never' : formatSince(lastUsed, Date.now()),
              },
              {
                title: 'Remove',
                actions: true,
                cell: (passkey) => (
                  <button
                    class="button small danger"
                    type="button"
                    aria-label={`Remove ${passkey.name}`}
                    onClick={() => setRemoving(passkey)}
                  >
                    Remove
                  </button>
                ),
              },
            ]}
          />
        )}
      </Show>
      {adding && (
        <AddPasskey
          onAdded={() => {
            setAdding(false)
            toast('Passkey added')
            again()
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {removing !== null && (
        <ConfirmDialog
          title={`Remove ${removing.name}?`}
          action={`Remove ${removing.name}`}
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            const { id: passkey } = removing
            await confirming(() => call('DELETE /me/passkeys/{passkey}', { passkey }))
            again()
          }}
        >
          You can no longer sign in with it, and your other sessions end. Delete it in your browser
          or phone too.
        </ConfirmDialog>
      )}
    </Card>
  )
}

function AddPasskey({ onAdded, onClose }: { onAdded(): void; onClose(): void }) {
  const asksPassword = hasUsablePassword(useSession())
  const confirming = useConfirming()
  const sending = useSending()
  const [name, setName] = useState(() => browserName(navigator.userAgent))
  const [password, setPassword] = useState('')
  return (
    <Dialog title="Add passkey" onClose={onClose}>
      <Form
        sending={sending}
        action="Continue"
        fields={['name', 'password']}
        onSend={async () => {
          const sent = asksPassword ? { password } : {}
          const begun = await confirming(() => call('POST /me/passkeys/begin', sent))
          const made = await makePasskey(begun)
          await call('POST /me/passkeys', { name, ...made })
          onAdded()
        }}
        secondary={<Cancel onClose={onClose} />}
      >
        <NameField
          hint="The device that stores it."
          value={name}
          sending={sending}
          onValue={setName}
        />
        {asksPassword && <PasswordField value={password} sending={sending} onValue={setPassword} />}
      </Form>
    </Dialog>
  )
}
