// Shown instead of every page while the session lacks the second factor that the server requires: the person uses theirs, or sets
// one up.
// Tested by test/browser/openid.test.ts
import { useState } from 'preact/hooks'
import { call, messageOf } from '../app/api.ts'
import { signWithPasskey, whyNoPasskeys } from '../app/passkey.ts'
import { useSession } from '../app/session.tsx'
import { CenteredPage } from '../ui/centered-page.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { useToast } from '../ui/toast.tsx'
import { Authenticator } from './profile/authenticator.tsx'
import { Passkeys } from './profile/passkeys.tsx'

export function Enrol() {
  const { person, reload } = useSession()
  const toast = useToast()
  const hasOne = person.hasTotp || person.passkeys > 0
  return (
    <CenteredPage
      title="Second factor required"
      about={
        hasOne
          ? 'This server requires a second factor. Show yours to continue.'
          : 'This server requires a second factor. Set one up to continue.'
      }
    >
      {person.hasTotp && <Code />}
      {person.passkeys > 0 && whyNoPasskeys() === null && <Passkey />}
      {!hasOne && (
        <>
          <Authenticator />
          <Passkeys />
        </>
      )}
      <button
        class="button block"
        type="button"
        onClick={() =>
          void call('DELETE /session').then(reload, (error: unknown) =>
            toast(messageOf(error), 'bad'),
          )
        }
      >
        Sign out
      </button>
    </CenteredPage>
  )
}

function Code() {
  const { reload } = useSession()
  const sending = useSending()
  const [code, setCode] = useState('')
  return (
    <Form
      sending={sending}
      action="Continue"
      wide
      onSend={async () => {
        await call('POST /me/second-factor', { code: code.replaceAll(/\s/g, '') })
        reload()
      }}
    >
      <TextField
        title="Code"
        hint="From your authenticator app, or a recovery code."
        inputMode="text"
        autocomplete="one-time-code"
        value={code}
        onValue={setCode}
      />
    </Form>
  )
}

function Passkey() {
  const { reload } = useSession()
  const sending = useSending()
  return (
    <Form
      sending={sending}
      action="Use a passkey"
      wide
      onSend={async () => {
        const begun = await call('POST /me/confirmation/passkey/begin')
        await call('POST /me/confirmation/passkey', await signWithPasskey(begun))
        reload()
      }}
    >
      {null}
    </Form>
  )
}
