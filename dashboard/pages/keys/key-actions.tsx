// Dialogs that rotate a key or its secret, or revoke the key.
// Tested by test/browser/keys.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { formatAgo, formatCount } from '../../app/format.ts'
import { keyName } from '../../app/key-name.ts'
import { useAccount } from '../../app/session.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { SecretOnce } from '../../ui/copy.tsx'
import { Cancel, ConfirmDialog, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Overlap, overlaps } from './key-end.ts'
import type { ApiKey } from './settings-form.tsx'

export type KeyAction = 'key' | 'secret' | 'revoke'
export type UsedKey = AdminReply<'GET /accounts/{account}/key-usage'>['keys'][number]

type ActionProps = {
  readonly apiKey: ApiKey
  /** Undefined: unused in the last 24 hours, or not loaded. */
  readonly used: UsedKey | undefined
  onChanged(): void
  onClose(): void
}

export function KeyDialog({ action, ...props }: ActionProps & { readonly action: KeyAction }) {
  return action === 'revoke' ? <Revoke {...props} /> : <Rotate what={action} {...props} />
}

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
    <Dialog
      title={`${what === 'key' ? 'Rotate' : 'Rotate the secret of'} ${keyName(apiKey)}`}
      onClose={onClose}
    >
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

function Revoke({ apiKey, used, onChanged, onClose }: ActionProps) {
  const { id: account } = useAccount()
  const toast = useToast()
  const name = keyName(apiKey)
  const pinned = useLoaded(
    (signal) =>
      call('GET /accounts/{account}/files', { account, key: apiKey.id, limit: 1 }, signal),
    [account, apiKey.id],
  )
  return (
    <ConfirmDialog
      title={`Revoke “${name}”?`}
      action={`Revoke ${name}`}
      keep="Keep key"
      onClose={onClose}
      onConfirm={async () => {
        const sent = { account, key: apiKey.id }
        await call('POST /accounts/{account}/keys/{key}/revoke', sent)
        onChanged()
        toast(`${name} is revoked`)
      }}
    >
      {aboutUse(used)} You can't undo this. {aboutPins(pinned.value?.found)}
    </ConfirmDialog>
  )
}

/** `pins`: number of pins that the key added, 0 for a key of earlier versions; undefined: not known yet. */
function aboutPins(pins: number | undefined): string {
  if (pins === undefined || pins === 0) return 'The files it pinned stay.'
  return pins === 1
    ? 'The file it pinned stays.'
    : `The ${formatCount(pins, 'file')} it pinned stay.`
}

function aboutUse(used: UsedKey | undefined): string {
  if (used === undefined || used.requests === 0) {
    return 'It answered no calls in the last 24 hours. From now on, calls with it fail with 401.'
  }
  const last = used.lastUsed === null ? '' : formatAgo(used.lastUsed, Date.now())
  const when = last === '' ? '' : `, most recently ${last === 'now' ? 'just now' : last}`
  const calls = formatCount(used.requests - used.failed, 'call')
  return `It answered ${calls} in the last 24 hours${when}. From now on those calls fail with 401.`
}
