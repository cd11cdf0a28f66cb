// Confirmation dialog: requests the password or a passkey if the API requires it, then repeats the call.
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
/** `end`: call with true after a confirmation, with false after a cancellation. */
type Asked = { readonly end: (isConfirmed: boolean) => void }

const ConfirmingContext = createContext<RunConfirmed>((work) => work())

/**
 * Runs a call. If the API replies `needs_confirmation`, opens a dialog for the password or a passkey, then repeats the
 * call. Rejects as the call does, also after a cancellation.
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
    <Dialog title="Confirm it's you" onClose={() => onEnd(false)}>
      <p class="hint">
        This change requires your password or a passkey. A confirmation is valid for 5 minutes.
      </p>
      <Form
        sending={sending}
        action="Confirm"
        fields={['password']}
        onSend={async () => {
          await call('POST /me/confirmation', { password })
          onEnd(true)
        }}
        secondary={
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
