// Buttons and dialogs that rotate a key or its secret, or revoke the key.
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import { keyName } from '../../app/key-name.ts'
import { useAccount } from '../../app/session.tsx'
import { SecretOnce } from '../../ui/copy.tsx'
import { Cancel, ConfirmDialog, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Overlap, overlaps } from './key-end.ts'
import type { ApiKey } from './settings-form.tsx'

type Action = 'key' | 'secret' | 'revoke'

export function KeyActions({ apiKey, onChanged }: { readonly apiKey: ApiKey; onChanged(): void }) {
  const [open, setOpen] = useState<Action | null>(null)
  const close = (): void => setOpen(null)
  return (
    <>
      <button class="button" type="button" onClick={() => setOpen('secret')}>
        Rotate secret
      </button>
      <button class="button" type="button" onClick={() => setOpen('key')}>
        Rotate key
      </button>
      <button class="button danger" type="button" onClick={() => setOpen('revoke')}>
        Revoke
      </button>
      {(open === 'key' || open === 'secret') && (
        <Rotate what={open} apiKey={apiKey} onChanged={onChanged} onClose={close} />
      )}
      {open === 'revoke' && <Revoke apiKey={apiKey} onChanged={onChanged} onClose={close} />}
    </>
  )
}

type ActionProps = { readonly apiKey: ApiKey; onChanged(): void; onClose(): void }
type Shown = readonly { readonly title: string; readonly text: string }[]

function Rotate({
  what,
  apiKey,
  onChanged,
  onClose,
}: ActionProps & { readonly what: 'key' | 'secret' }) {
  const { id: account } = useAccount()
  const sending = useSending()
  const [overlap, setOverlap] = useState<Overlap>('86400000')
  const [shown, setShown] = useState<Shown | null>(null)
  if (shown !== null) {
    return (
      <Dialog title={what === 'key' ? 'Key created' : 'Secret created'} firm onClose={onClose}>
        <SecretOnce rows={shown} />
        <DialogFoot done="I have saved it" onClose={onClose} />
      </Dialog>
    )
  }
  const send = async (): Promise<void> => {
    const sent = { account, key: apiKey.id, overlapMs: Number(overlap) }
    if (what === 'key') {
      const created = await call('POST /accounts/{account}/keys/{key}/rotate', sent)
      setShown([
        { title: 'API key', text: created.apiKey },
        { title: 'Secret', text: created.apiKeySecret },
      ])
    } else {
      const created = await call('POST /accounts/{account}/keys/{key}/rotate-secret', sent)
      setShown([{ title: 'Secret', text: created.apiKeySecret }])
    }
    onChanged()
  }
  return (
    <Dialog title={what === 'key' ? 'Rotate key' : 'Rotate secret'} onClose={onClose}>
      <Form
        sending={sending}
        action={what === 'key' ? 'Create new key' : 'Create new secret'}
        onSend={send}
        secondary={<Cancel onClose={onClose} />}
      >
        <p>
          {what === 'key'
            ? 'Cairn creates a key with the same settings, and its secret.'
            : 'Cairn creates a new secret for this key. The key stays the same.'}
        </p>
        <SelectField
          title={what === 'key' ? 'The old key works' : 'The old secret works'}
          value={overlap}
          options={overlaps}
          onValue={setOverlap}
        />
      </Form>
    </Dialog>
  )
}

function Revoke({ apiKey, onChanged, onClose }: ActionProps) {
  const { id: account } = useAccount()
  const toast = useToast()
  return (
    <ConfirmDialog
      title={`Revoke ${keyName(apiKey)}?`}
      action={`Revoke ${keyName(apiKey)}`}
      onClose={onClose}
      onConfirm={async () => {
        const sent = { account, key: apiKey.id }
        await call('POST /accounts/{account}/keys/{key}/revoke', sent)
        onChanged()
        toast('Key revoked')
      }}
    >
      From now on, calls with this key fail. You can't undo this. The files that it pinned stay.
    </ConfirmDialog>
  )
}
