// Profile of the signed-in person: name, password, OpenID identity, authenticator, passkeys, sessions, access tokens.
import { useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { useSession } from '../app/session.tsx'
import { setSingleKeys, usesSingleKeys } from '../app/use-shortcuts.ts'
import { Card, PageHead } from '../ui/card.tsx'
import { useConfirming } from '../ui/confirming.tsx'
import { CheckField, TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import { useToast } from '../ui/toast.tsx'
import { Identity } from './profile/identity.tsx'
import { Authenticator } from './profile/authenticator.tsx'
import { Passkeys } from './profile/passkeys.tsx'
import { Sessions } from './profile/sessions.tsx'
import { Tokens } from './profile/tokens.tsx'

export function ProfilePage() {
  const { person } = useSession()
  return (
    <>
      <PageHead title="Profile" about={`You sign in as ${person.email}.`} />
      <div class="grid wide">
        <div class="stack">
          <Name />
          <Appearance />
        </div>
        <Password />
      </div>
      <Identity />
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
          toast('Saved')
        }}
      >
        <TextField
          title="Name"
          hint="Shown to the other members of your accounts."
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

/** Settings of this browser. */
function Appearance() {
  const [single, setSingle] = useState(usesSingleKeys)
  return (
    <Card title="This browser">
      <div class="field">
        <span class="field-title">Theme</span>
        <ThemeSwitch />
      </div>
      <CheckField
        title="Keyboard shortcuts with single keys"
        hint="Press ? for the list."
        value={single}
        onValue={(on) => {
          setSingleKeys(on)
          setSingle(on)
        }}
      />
    </Card>
  )
}

function Password() {
  const { person, means, reload } = useSession()
  const confirming = useConfirming()
  const sending = useSending()
  const toast = useToast()
  const [password, setPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  return (
    <Card title="Password" about={aboutPassword(person.hasPassword, means.password)}>
      {means.password && (
        <Form
          sending={sending}
          action={person.hasPassword ? 'Change password' : 'Set password'}
          fields={['password', 'newPassword']}
          onSend={async () => {
            if (person.hasPassword) await call('POST /me/password', { password, newPassword })
            else await confirming(() => call('POST /me/password', { newPassword }))
            setPassword('')
            setNewPassword('')
            reload()
            toast('Password changed')
          }}
        >
          {person.hasPassword && (
            <PasswordField
              title="Current password"
              value={password}
              sending={sending}
              onValue={setPassword}
            />
          )}
          <TextField
            title="New password"
            hint="At least 10 characters."
            type="password"
            autocomplete="new-password"
            value={newPassword}
            error={sending.of('newPassword')}
            onValue={setNewPassword}
          />
        </Form>
      )}
    </Card>
  )
}

function aboutPassword(hasPassword: boolean, isAccepted: boolean): string {
  if (!isAccepted) return 'This server accepts no passwords: sign in with OpenID or a passkey.'
  return hasPassword
    ? 'A new password ends your other sessions. Passkeys stay.'
    : 'You have no password. You can set one to sign in without OpenID.'
}
