// Signing in, in the place of the page that was asked for: email and password, then a code where one is needed; or a
// passkey alone.
import { useState } from 'preact/hooks'
import { ApiError, call } from '../app/api.ts'
import { signWithPasskey, whyNoPasskeys } from '../app/passkey.ts'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Lone } from '../ui/lone.tsx'
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
  return (
    <Lone title="Sign in" about="To keys, limits, usage, proofs and files.">
      <Form sending={sending} action={code === null ? 'Sign in' : 'Go on'} onSend={send} wide>
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
            hint="Of your authenticator, or one of your recovery codes."
            inputMode="text"
            autocomplete="one-time-code"
            focused
            value={code}
            onValue={setCode}
          />
        )}
      </Form>
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
        Nobody has signed in here yet? <code>cairn init --link</code> prints a link for the first
        operator.
      </p>
    </Lone>
  )
}
