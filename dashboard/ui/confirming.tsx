// Confirmation dialog: requests the password, a passkey or a new sign-in with OpenID if the API requires it, then repeats the call.
// Tested by test/browser/confirming.test.ts
import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useState } from 'preact/hooks'
import { ApiError, call } from '../app/api.ts'
import { leaveToConfirm } from '../app/openid.ts'
import { signWithPasskey, whyNoPasskeys } from '../app/passkey.ts'
import { usePlace } from '../app/router.tsx'
import { hasUsablePassword } from '../app/usable-password.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Cancel, Dialog } from './dialog.tsx'
import { Form, useSending } from './form.tsx'
import { Note } from './note.tsx'
import { PasswordField } from './password-field.tsx'

type Work<Result> = () => Promise<Result>
type RunConfirmed = <Result>(work: Work<Result>) => Promise<Result>
/** `end`: call with true after a confirmation, with false after a cancellation. */
type PendingConfirmation = { readonly end: (isConfirmed: boolean) => void }

const ConfirmingContext = createContext<RunConfirmed>((work) => work())

/**
 * Runs a call. If the API replies `needs_confirmation`, opens a dialog for the password or a passkey, then repeats the call.
 * Rejects as the call does, also after a cancellation.
 */
export function useConfirming(): RunConfirmed {
  return useContext(ConfirmingContext)
}

export function Confirming({ children }: { readonly children: ComponentChildren }) {
  const [pending, setPending] = useState<PendingConfirmation | null>(null)
  const run = useCallback<RunConfirmed>(async (work) => {
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.code !== 'needs_confirmation') throw thrown
      const isConfirmed = await new Promise<boolean>((end) => setPending({ end }))
      setPending(null)
      if (!isConfirmed) throw thrown
      return await work()
    }
  }, [])
  return (
    <ConfirmingContext.Provider value={run}>
      {children}
      {pending !== null && <ConfirmationDialog onEnd={pending.end} />}
    </ConfirmingContext.Provider>
  )
}

function ConfirmationDialog({ onEnd }: { onEnd(isConfirmed: boolean): void }) {
  const sending = useSending()
  const { path } = usePlace()
  const [password, setPassword] = useState('')
  const me = useLoaded((signal) => call('GET /me', {}, signal), [])
  const hasPassword = me.value === undefined || hasUsablePassword(me.value)
  const isLinked = me.value !== undefined && me.value.person.issuer !== null
  const openId = isLinked ? (me.value?.means.openId ?? null) : null
  const sendPasskey = async (): Promise<void> => {
    const route = 'POST /me/confirmation/passkey'
    const begun = await call(`${route}/begin`)
    await call(route, await signWithPasskey(begun))
    onEnd(true)
  }
  const others = (
    <>
      {openId !== null && (
        <button
          class="button"
          type="button"
          disabled={sending.busy}
          onClick={() => void sending.run(() => leaveToConfirm(path))}
        >
          Use {openId}
        </button>
      )}
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
  )
  return (
    <Dialog title="Confirm it's you" onClose={() => onEnd(false)}>
      <p class="hint">
        This change requires that you show a means of sign-in again. A confirmation is valid for 5
        minutes.
      </p>
      {hasPassword ? (
        <Form
          sending={sending}
          action="Confirm"
          fields={['password']}
          onSend={async () => {
            await call('POST /me/confirmation', { password })
            onEnd(true)
          }}
          secondary={others}
        >
          <PasswordField value={password} sending={sending} onValue={setPassword} />
        </Form>
      ) : (
        <>
          {sending.error !== null && <Note tone="bad">{sending.error.message}</Note>}
          <div class="row">{others}</div>
        </>
      )}
    </Dialog>
  )
}
