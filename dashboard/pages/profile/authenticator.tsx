// Authenticator app of the signed-in person: enrolled in two steps, removed with the password.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { hasUsablePassword } from '../../app/usable-password.ts'
import { useSession } from '../../app/session.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { useConfirming } from '../../ui/confirming.tsx'
import { CodeBlock, Value } from '../../ui/copy.tsx'
import { Cancel, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { Note } from '../../ui/note.tsx'
import { PasswordField } from '../../ui/password-field.tsx'
import { QrCode } from '../../ui/qr-code.tsx'

type Enrolled = AdminReply<'POST /me/totp'>

export function Authenticator() {
  const { person, recoveryCodesLeft, reload } = useSession()
  const [open, setOpen] = useState<'enrol' | 'remove' | null>(null)
  const close = (): void => setOpen(null)
  return (
    <Card
      title="Authenticator"
      about="A second step at sign-in: a code from an app on your phone."
      actions={
        <Badge tone={person.hasTotp ? 'good' : 'plain'}>{person.hasTotp ? 'On' : 'Off'}</Badge>
      }
    >
      {person.hasTotp && (
        <p>
          {recoveryCodesLeft} recovery {recoveryCodesLeft === 1 ? 'code is' : 'codes are'} left, for
          sign-in without your phone.
        </p>
      )}
      <div class="row">
        <button class="button" type="button" onClick={() => setOpen('enrol')}>
          {person.hasTotp ? 'Replace' : 'Turn on'}
        </button>
        {person.hasTotp && (
          <button class="button danger" type="button" onClick={() => setOpen('remove')}>
            Turn off
          </button>
        )}
      </div>
      {open === 'enrol' && <Enrol onDone={reload} onClose={close} />}
      {open === 'remove' && <Remove onDone={reload} onClose={close} />}
    </Card>
  )
}

type StepProps = { onDone(): void; onClose(): void }

function Enrol({ onDone, onClose }: StepProps) {
  const asksPassword = hasUsablePassword(useSession())
  const confirming = useConfirming()
  const sending = useSending()
  const [password, setPassword] = useState('')
  const [enrolled, setEnrolled] = useState<Enrolled | null>(null)
  if (enrolled !== null) return <Confirm enrolled={enrolled} onDone={onDone} onClose={onClose} />
  return (
    <Dialog title="Confirm it's you" onClose={onClose}>
      <Form
        sending={sending}
        action="Continue"
        fields={['password']}
        onSend={async () => {
          const sent = asksPassword ? { password } : {}
          setEnrolled(await confirming(() => call('POST /me/totp', sent)))
        }}
        secondary={<Cancel onClose={onClose} />}
      >
        {asksPassword ? (
          <PasswordField value={password} sending={sending} onValue={setPassword} />
        ) : (
          <p>An app on your phone will show codes for this server.</p>
        )}
      </Form>
    </Dialog>
  )
}

function Confirm({ enrolled, onDone, onClose }: StepProps & { readonly enrolled: Enrolled }) {
  const sending = useSending()
  const [code, setCode] = useState('')
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes !== null) {
    // Only now: the page behind may change with the second factor, and the codes are shown once.
    const close = (): void => {
      onClose()
      onDone()
    }
    return (
      <Dialog title="Recovery codes" firm onClose={close}>
        <Note tone="warn">
          Save these codes where you can find them without your phone. Each works once, and they are
          not shown again.
        </Note>
        <CodeBlock title="the recovery codes" text={codes.join('\n')} />
        <DialogFoot done="I have saved them" onClose={close} />
      </Dialog>
    )
  }
  return (
    <Dialog title="Scan the QR code" onClose={onClose}>
      <QrCode text={enrolled.address} title="QR code for the authenticator" />
      <div class="field">
        <span class="hint">Or type this secret into the app:</span>
        <Value text={enrolled.secret} title="Copy the secret of the authenticator" />
      </div>
      <Form
        sending={sending}
        action="Turn on"
        fields={['code']}
        onSend={async () => {
          const sent = { code: code.replaceAll(/\s/g, '') }
          const { recoveryCodes } = await call('POST /me/totp/confirm', sent)
          setCodes(recoveryCodes)
        }}
        secondary={<Cancel onClose={onClose} />}
      >
        <TextField
          title="Code from the app"
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={8}
          value={code}
          error={sending.of('code')}
          onValue={setCode}
        />
      </Form>
    </Dialog>
  )
}

function Remove({ onDone, onClose }: StepProps) {
  const asksPassword = hasUsablePassword(useSession())
  const confirming = useConfirming()
  const sending = useSending()
  const [password, setPassword] = useState('')
  return (
    <Dialog title="Turn off the authenticator?" onClose={onClose}>
      <Form
        sending={sending}
        action="Turn off the authenticator"
        danger
        fields={['password']}
        onSend={async () => {
          const sent = asksPassword ? { password } : {}
          await confirming(() => call('POST /me/totp/remove', sent))
          onDone()
          onClose()
        }}
        secondary={<Cancel onClose={onClose} />}
      >
        <p>You will sign in without a code.</p>
        {asksPassword && <PasswordField value={password} sending={sending} onValue={setPassword} />}
      </Form>
    </Dialog>
  )
}
