// Asks for the password or a passkey when the API wants them shown again, then repeats the call.
// Tested by test/browser/confirming.test.ts
import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useState } from 'preact/hooks'
import { ApiError, call } from '../app/api.ts'
import { signWithPasskey, whyNoPasskeys } from '../app/passkey.ts'
import { Cancel, Dialog } from './dialog.tsx'
import { Form, useSending } from './form.tsx'
import { PasswordField } from './password-field.tsx'

type Work<Result> = () => Promise<Result>
type RunConfirmed = <Result>(work: Work<Result>) => Promise<Result>
/** `end`: true when the session was confirmed, false when the person cancelled. */
type Asked = { readonly end: (isConfirmed: boolean) => void }

const ConfirmingContext = createContext<RunConfirmed>((work) => work())

/**
 * Runs a call. When the API answers `needs_confirmation`, a dialog asks for the password or a passkey and the call is
 * repeated. Rejects as the call does, also when the person cancels.
 */
export function useConfirming(): RunConfirmed {
  return useContext(ConfirmingContext)
}

export function Confirming({ children }: { readonly children: ComponentChildren }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const run = useCallback<RunConfirmed>(async (work) => {
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.code !== 'needs_confirmation') throw thrown
      const isConfirmed = await new Promise<boolean>((end) => setAsked({ end }))
      setAsked(null)
      if (!isConfirmed) throw thrown
      return await work()
    }
  }, [])
  return (
    <ConfirmingContext.Provider value={run}>
      {children}
      {asked !== null && <ConfirmationDialog onEnd={asked.end} />}
    </ConfirmingContext.Provider>
  )
}

function ConfirmationDialog({ onEnd }: { onEnd(isConfirmed: boolean): void }) {
  const sending = useSending()
  const [password, setPassword] = useState('')
  const sendPasskey = async (): Promise<void> => {
    const path = 'POST /me/confirmation/passkey'
    const begun = await call(`${path}/begin`)
    await call(path, await signWithPasskey(begun))
    onEnd(true)
  }
  return (
    <Dialog title="Confirm that it is you" onClose={() => onEnd(false)}>
      <p class="hint">This change takes your password or a passkey. It counts for five minutes.</p>
      <Form
        sending={sending}
        action="Confirm"
        fields={['password']}
        onSend={async () => {
          await call('POST /me/confirmation', { password })
          onEnd(true)
        }}
        beside={
          <>
            {whyNoPasskeys() === null && (
              <button
                class="button"
                type="button"
                disabled={sending.busy}
                onClick={() => void sending.run(sendPasskey)}
              >
                Use a passkey
              </button>
            )}
            <Cancel onClose={() => onEnd(false)} />
          </>
        }
      >
        <PasswordField value={password} sending={sending} onValue={setPassword} />
      </Form>
    </Dialog>
  )
}
