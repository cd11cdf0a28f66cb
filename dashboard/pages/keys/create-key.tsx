// Dialog that creates a key: name, expiry, limits. Afterwards it shows key and secret once.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { useOwnKey } from '../../app/own-key.tsx'
import { useAccount } from '../../app/session.tsx'
import { SecretOnce } from '../../ui/copy.tsx'
import { Cancel, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { NameField } from '../../ui/name-field.tsx'
import { endOf, type KeyEnd, keyEnds } from './key-end.ts'
import { type Plan, planOptions } from './plan-options.ts'

type Created = AdminReply<'POST /accounts/{account}/keys'>

export function CreateKey({ onCreated, onClose }: { onCreated(): void; onClose(): void }) {
  const { id: account } = useAccount()
  const sending = useSending()
  const [name, setName] = useState('')
  const [end, setEnd] = useState<KeyEnd>('never')
  const [plan, setPlan] = useState<Plan>('none')
  const [secretRequired, setSecretRequired] = useState(false)
  const [imports, setImports] = useState(false)
  const [imported, setImported] = useState({ apiKey: '', apiKeySecret: '' })
  const [created, setCreated] = useState<Created | null>(null)
  if (created !== null) return <ShownOnce created={created} onClose={onClose} />
  const send = async (): Promise<void> => {
    const expires = endOf(end, Date.now())
    const sent = {
      account,
      name: name.trim(),
      expires,
      plan,
      settings: { secretRequired },
      ...(imports ? { imported } : {}),
    }
    setCreated(await call('POST /accounts/{account}/keys', sent))
    onCreated()
  }
  return (
    <Dialog title="Create key" onClose={onClose}>
      <Form
        sending={sending}
        action="Create key"
        fields={['name', 'expires', 'imported.apiKey', 'imported.apiKeySecret']}
        onSend={send}
        secondary={<Cancel onClose={onClose} />}
      >
        <NameField hint="What the key is for." value={name} sending={sending} onValue={setName} />
        <div class="grid">
          <SelectField title="Expires" value={end} options={keyEnds} onValue={setEnd} />
          <SelectField title="Limits" value={plan} options={planOptions} onValue={setPlan} />
        </div>
        <CheckField
          title="Require the secret for JSON-RPC"
          hint="For keys on servers. A web page would reveal the secret."
          value={secretRequired}
          onValue={setSecretRequired}
        />
        <CheckField
          title="Import an existing key"
          hint="Clients only change the URL."
          value={imports}
          onValue={setImports}
        />
        {imports && (
          <>
            <TextField
              title="API key"
              autocomplete="off"
              maxLength={128}
              value={imported.apiKey}
              error={sending.of('imported.apiKey')}
              onValue={(apiKey) => setImported({ ...imported, apiKey: apiKey.trim() })}
            />
            <TextField
              title="Secret"
              type="password"
              autocomplete="off"
              maxLength={128}
              value={imported.apiKeySecret}
              error={sending.of('imported.apiKeySecret')}
              onValue={(secret) => setImported({ ...imported, apiKeySecret: secret.trim() })}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}

function ShownOnce({ created, onClose }: { readonly created: Created; onClose(): void }) {
  const { set } = useOwnKey()
  const { apiKey: key, apiKeySecret: secret } = created
  return (
    <Dialog title="Key created" firm onClose={onClose}>
      <SecretOnce
        rows={[
          { title: 'API key', text: key },
          { title: 'Secret', text: secret },
        ]}
      />
      <DialogFoot done="I have saved both" onClose={onClose}>
        <button
          class="button"
          type="button"
          onClick={() => {
            set({ key, secret })
            onClose()
          }}
        >
          Use it in the snippets
        </button>
      </DialogFoot>
    </Dialog>
  )
}
