// Dialog that creates an invitation to an account, or by an operator to a new account or the server. The link is shown once.
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import { base } from '../../app/router.tsx'
import { useConfirming } from '../../ui/confirming.tsx'
import { SecretOnce } from '../../ui/copy.tsx'
import { Cancel, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'

type Role = 'member' | 'owner' | 'operator'

export function InviteDialog({
  account,
  onCreated,
  onClose,
}: {
  /** Null: the invitation is for a new account or the server. */
  readonly account: string | null
  onCreated(): void
  onClose(): void
}) {
  const sending = useSending()
  const confirming = useConfirming()
  const [email, setEmail] = useState('')
  const [accountName, setAccountName] = useState('')
  const [role, setRole] = useState<Role>(account === null ? 'owner' : 'member')
  const [link, setLink] = useState<string | null>(null)
  if (link !== null) {
    return (
      <Dialog title="Send them this link" firm onClose={onClose}>
        <SecretOnce rows={[{ title: 'Link', text: `${location.origin}${base}/welcome#${link}` }]}>
          It is valid once, for 7 days, and is not shown again.
        </SecretOnce>
        <DialogFoot done="I have copied it" onClose={onClose} />
      </Dialog>
    )
  }
  const roles =
    account === null
      ? ([
          { value: 'owner', title: 'Owner of a new account' },
          { value: 'operator', title: 'Operator of this server' },
        ] as const)
      : ([
          { value: 'member', title: 'Member: can view the account' },
          { value: 'owner', title: 'Owner: can also change it' },
        ] as const)
  const send = async (): Promise<void> => {
    const to = email.trim() === '' ? {} : { email: email.trim() }
    const made =
      account === null
        ? await confirming(() =>
            call('POST /invitations', {
              role,
              ...to,
              ...(role === 'operator' ? {} : { accountName: accountName.trim() }),
            }),
          )
        : await call('POST /accounts/{account}/invitations', {
            account,
            role: role === 'owner' ? 'owner' : 'member',
            ...to,
          })
    setLink(made.link)
    onCreated()
  }
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <Form
        sending={sending}
        action="Create link"
        fields={['email', 'accountName']}
        onSend={send}
        secondary={<Cancel onClose={onClose} />}
      >
        <SelectField<Role> title="Role" value={role} options={roles} onValue={setRole} />
        {account === null && role !== 'operator' && (
          <TextField
            title="Account name"
            autocomplete="off"
            maxLength={64}
            value={accountName}
            error={sending.of('accountName')}
            onValue={setAccountName}
          />
        )}
        <TextField
          title="Email"
          hint="The only address that can accept the invitation. If empty, any holder of the link can."
          type="email"
          autocomplete="off"
          value={email}
          error={sending.of('email')}
          onValue={setEmail}
        />
      </Form>
    </Dialog>
  )
}
