// A new key: what it is called, until when it works, its limits; then key and secret, shown once.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/gateway/admin/client.ts'
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

type Made = AdminReply<'POST /accounts/{account}/keys'>

export function CreateKey({ onMade, onClose }: { onMade(): void; onClose(): void }) {
  const { id: account } = useAccount()
  const sending = useSending()
  const [name, setName] = useState('')
  const [end, setEnd] = useState<KeyEnd>('never')
  const [plan, setPlan] = useState<Plan>('none')
  const [secretRequired, setSecretRequired] = useState(false)
  const [imports, setImports] = useState(false)
  const [imported, setImported] = useState({ apiKey: '', apiKeySecret: '' })
  const [made, setMade] = useState<Made | null>(null)
  if (made !== null) return <ShownOnce made={made} onClose={onClose} />
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
    setMade(await call('POST /accounts/{account}/keys', sent))
    onMade()
  }
  return (
    <Dialog title="New key" onClose={onClose}>
      <Form
        sending={sending}
        action="Make the key"
        fields={['name', 'expires', 'imported.apiKey', 'imported.apiKeySecret']}
        onSend={send}
        beside={<Cancel onClose={onClose} />}
      >
        <NameField
          hint="What it is for, so that you know it again."
          value={name}
          sending={sending}
          onValue={setName}
        />
        <div class="grid">
          <SelectField title="Ends" value={end} options={keyEnds} onValue={setEnd} />
          <SelectField title="Limits" value={plan} options={planOptions} onValue={setPlan} />
        </div>
        <CheckField
          title="Ask for the secret on JSON-RPC too"
          hint="For servers. A key in a web page cannot keep a secret."
          value={secretRequired}
          onValue={setSecretRequired}
        />
        <CheckField
          title="Take over a key of another service"
          hint="Programs that have it go on with another address alone."
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

function ShownOnce({ made, onClose }: { readonly made: Made; onClose(): void }) {
  const { set } = useOwnKey()
  const { apiKey: key, apiKeySecret: secret } = made
  return (
    <Dialog title="The key is made" firm onClose={onClose}>
      <SecretOnce
        rows={[
          { title: 'API key', text: key },
          { title: 'Secret', text: secret },
        ]}
      />
      <DialogFoot kept="I have kept both" onClose={onClose}>
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
