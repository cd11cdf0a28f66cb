// Sign-in, shown instead of the requested page: email and password, then a code if required; or only a passkey.
import { useState } from 'preact/hooks'
import { ApiError, call } from '../app/api.ts'
import { leaveToSignIn } from '../app/openid.ts'
import { signWithPasskey, whyNoPasskeys } from '../app/passkey.ts'
import { usePlace } from '../app/router.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { CenteredPage } from '../ui/centered-page.tsx'
import { Note } from '../ui/note.tsx'
import { NoPasskeys } from '../ui/no-passkeys.tsx'
import { PasswordField } from '../ui/password-field.tsx'

export function SignIn({ onSignedIn }: { onSignedIn(): void }) {
  const sending = useSending()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string | null>(null)
  const send = async (): Promise<void> => {
    try {
      await call('POST /session', {
        email,
        password,
        ...(code === null ? {} : { code: code.replaceAll(/\s/g, '') }),
      })
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.code !== 'needs_code') throw thrown
      setCode('')
      return
    }
    onSignedIn()
  }
  const sendPasskey = async (): Promise<void> => {
    const begun = await call('POST /session/passkey/begin')
    const signed = await signWithPasskey(begun)
    await call('POST /session/passkey', signed)
    onSignedIn()
  }
  const whyNot = whyNoPasskeys()
  const { path } = usePlace()
  // Most servers accept passwords, so the fields are shown before the reply.
  const means = useLoaded((signal) => call('GET /session/means', {}, signal), [])
  const openId = means.value?.openId ?? null
  const passwords = means.value?.password ?? true
  return (
    <CenteredPage title="Sign in" about="Manage API keys, limits, usage, proofs and files.">
      {passwords && (
        <Form sending={sending} action={code === null ? 'Sign in' : 'Continue'} onSend={send} wide>
          {code === null ? (
            <>
              <TextField
                title="Email"
                type="email"
                autocomplete="username"
                value={email}
                onValue={setEmail}
              />
              <PasswordField value={password} onValue={setPassword} />
            </>
          ) : (
            <TextField
              key="code"
              title="Code"
              hint="From your authenticator app, or a recovery code."
              inputMode="text"
              autocomplete="one-time-code"
              focused
              value={code}
              onValue={setCode}
            />
          )}
        </Form>
      )}
      {openId !== null && code === null && (
        <button
          class={`button block${passwords ? '' : ' primary'}`}
          type="button"
          disabled={sending.busy}
          onClick={() => void sending.run(() => leaveToSignIn(path))}
        >
          Sign in with {openId}
        </button>
      )}
      {!passwords && sending.error !== null && <Note tone="bad">{sending.error.message}</Note>}
      {whyNot === null ? (
        <button
          class="button block"
          type="button"
          disabled={sending.busy}
          onClick={() => void sending.run(sendPasskey)}
        >
          Sign in with a passkey
        </button>
      ) : (
        whyNot.link !== null && (
          <p class="hint">
            <NoPasskeys {...whyNot} />
          </p>
        )
      )}
      <p class="hint">
        Setting up the server? Run <code>cairn init --link</code> for a link to create the first
        operator.
      </p>
    </CenteredPage>
  )
}
