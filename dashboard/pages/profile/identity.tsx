// Identity of the signed-in person at the OpenID provider: linked and unlinked after a confirmation.
// Tested by test/browser/openid.test.ts
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import { leaveToLink } from '../../app/openid.ts'
import { useSession } from '../../app/session.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { useConfirming } from '../../ui/confirming.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'

/** Renders nothing if no provider is configured and no identity is linked. */
export function Identity() {
  const { person, means, reload } = useSession()
  const confirming = useConfirming()
  const sending = useSending()
  const toast = useToast()
  const [unlinking, setUnlinking] = useState(false)
  const { issuer } = person
  const name = means.openId
  if (issuer === null && name === null) return null
  return (
    <Card
      title={name ?? 'OpenID'}
      about="Sign in with your identity at another server."
      actions={
        <Badge tone={issuer === null ? 'plain' : 'good'}>
          {issuer === null ? 'Not linked' : 'Linked'}
        </Badge>
      }
    >
      {issuer === null ? (
        <Form
          sending={sending}
          action={`Link ${name}`}
          onSend={() => confirming(() => leaveToLink('/profile'))}
        >
          {null}
        </Form>
      ) : (
        <>
          <p>
            Linked to <span class="mono">{issuer}</span>.
          </p>
          <div class="row">
            <button class="button danger" type="button" onClick={() => setUnlinking(true)}>
              Unlink
            </button>
          </div>
        </>
      )}
      {unlinking && (
        <ConfirmDialog
          title="Unlink this identity?"
          action="Unlink identity"
          onClose={() => setUnlinking(false)}
          onConfirm={async () => {
            await confirming(() => call('DELETE /me/identity'))
            toast('Identity unlinked')
            reload()
          }}
        >
          You can no longer sign in with it, and your other sessions end.
        </ConfirmDialog>
      )}
    </Card>
  )
}
