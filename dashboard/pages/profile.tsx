// Who is signed in: name, password, authenticator, passkeys, where they are signed in, tokens of their programs.
import { useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { useSession } from '../app/session.tsx'
import { Card, PageHead } from '../ui/card.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { useToast } from '../ui/toast.tsx'
import { Authenticator } from './profile/authenticator.tsx'
import { Passkeys } from './profile/passkeys.tsx'
import { Sessions } from './profile/sessions.tsx'
import { Tokens } from './profile/tokens.tsx'

export function ProfilePage() {
  const { person } = useSession()
  return (
    <>
      <PageHead title="You" about={`You sign in as ${person.email}.`} />
      <div class="grid wide">
        <Name />
        <Password />
      </div>
      <Authenticator />
      <Passkeys />
      <Sessions />
      <Tokens />
    </>
  )
}

function Name() {
  const { person, reload } = useSession()
  const sending = useSending()
  const toast = useToast()
  const [name, setName] = useState(person.name)
  return (
    <Card title="Name">
      <Form
        sending={sending}
        action="Save"
        fields={['name']}
        onSend={async () => {
          await call('PATCH /me', { name })
          reload()
          toast('Saved.')
        }}
      >
        <TextField
          title="Name"
          hint="Others of your accounts see it."
          autocomplete="name"
          maxLength={100}
          value={name}
          error={sending.of('name')}
          onValue={setName}
        />
      </Form>
    </Card>
  )
}

function Password() {
  const sending = useSending()
  const toast = useToast()
  const [password, setPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  return (
    <Card title="Password" about="A new one ends your other sessions; passkeys stay.">
      <Form
        sending={sending}
        action="Change it"
        fields={['password', 'newPassword']}
        onSend={async () => {
          await call('POST /me/password', { password, newPassword })
          setPassword('')
          setNewPassword('')
          toast('The password is changed.')
        }}
      >
        <PasswordField
          title="Current password"
          value={password}
          sending={sending}
          onValue={setPassword}
        />
        <TextField
          title="New password"
          hint="10 characters or more."
          type="password"
          autocomplete="new-password"
          value={newPassword}
          error={sending.of('newPassword')}
          onValue={setNewPassword}
        />
      </Form>
    </Card>
  )
}
