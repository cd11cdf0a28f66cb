// Public keys of an API key, which accepts JWTs signed with one of them; a JWT can further restrict a call.
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import { useAccount } from '../../app/session.tsx'
import { Card } from '../../ui/card.tsx'
import { Day } from '../../ui/day.tsx'
import { Value } from '../../ui/copy.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { AreaField, CheckField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { NameField } from '../../ui/name-field.tsx'
import { Empty } from '../../ui/note.tsx'
import { Table } from '../../ui/table.tsx'
import type { KeyReply } from '../key.tsx'
import { SettingsForm, type SettingsFormProps } from './settings-form.tsx'

const publicKeysMax = 3

type PublicKey = KeyReply['publicKeys'][number]

export function JwtPublicKeys(props: SettingsFormProps & Pick<KeyReply, 'publicKeys'>) {
  const { apiKey, mayChange, onSaved, publicKeys } = props
  return (
    <div class="stack">
      <Card title="Public keys" about="A JWT names its key in the header kid." flush>
        <List {...props} />
      </Card>
      {mayChange && publicKeys.length < publicKeysMax && (
        <Add key={publicKeys.length} keyId={apiKey.id} onAdded={onSaved} />
      )}
      <SettingsForm {...props} title="Rules" fields={['settings.jwtAudiences']}>
        {({ settings, set, sending }) => (
          <>
            <CheckField
              title="Require a JWT"
              hint="Calls without one are refused."
              value={settings.jwtRequired}
              onValue={(jwtRequired) => set({ jwtRequired })}
            />
            <AreaField
              title="Audiences"
              hint="Accepted values of aud, one per line. If empty: infura.io and the host names of this server."
              value={settings.jwtAudiences.join('\n')}
              error={sending.of('settings.jwtAudiences')}
              onValue={(text) => set({ jwtAudiences: text === '' ? [] : text.split('\n') })}
            />
          </>
        )}
      </SettingsForm>
    </div>
  )
}

function List({
  apiKey,
  mayChange,
  onSaved,
  publicKeys,
}: SettingsFormProps & Pick<KeyReply, 'publicKeys'>) {
  const { id: account } = useAccount()
  const [removing, setRemoving] = useState<PublicKey | null>(null)
  return (
    <>
      <Table
        caption="Public keys"
        rows={publicKeys}
        keyOf={({ id }) => id}
        empty={<Empty title="No public keys yet">Add one to accept JWTs signed with it.</Empty>}
        columns={[
          { title: 'Name', cell: ({ name, id }) => (name === '' ? id : name) },
          { title: 'kid', cell: ({ id }) => <Value text={id} title="Copy the kid" /> },
          { title: 'Algorithm', cell: ({ algorithm }) => algorithm },
          {
            title: 'Fingerprint',
            cell: ({ fingerprint }) => <span class="mono">{fingerprint}</span>,
          },
          { title: 'Added', cell: ({ created }) => <Day time={created} /> },
          ...(mayChange
            ? [
                {
                  title: 'Remove',
                  actions: true,
                  cell: (publicKey: PublicKey) => (
                    <button
                      class="button small danger"
                      type="button"
                      onClick={() => setRemoving(publicKey)}
                    >
                      Remove
                    </button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {removing !== null && (
        <ConfirmDialog
          title={`Remove ${removing.name === '' ? removing.id : removing.name}?`}
          action={`Remove ${removing.name === '' ? removing.id : removing.name}`}
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            const sent = { account, key: apiKey.id, publicKey: removing.id }
            await call('DELETE /accounts/{account}/keys/{key}/public-keys/{publicKey}', sent)
            onSaved()
          }}
        >
          Cairn refuses JWTs signed with this key from now on.
        </ConfirmDialog>
      )}
    </>
  )
}

function Add({ keyId, onAdded }: { readonly keyId: string; onAdded(): void }) {
  const { id: account } = useAccount()
  const sending = useSending()
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  return (
    <Card title="Add public key">
      <Form
        sending={sending}
        action="Add public key"
        fields={['name', 'publicKey']}
        onSend={async () => {
          await call('POST /accounts/{account}/keys/{key}/public-keys', {
            account,
            key: keyId,
            name,
            publicKey: text,
          })
          onAdded()
        }}
      >
        <NameField value={name} sending={sending} onValue={setName} />
        <AreaField
          title="Public key"
          hint="PEM or JWK. RS256: RSA with at least 2048 bits. ES256: P-256."
          rows={6}
          placeholder="-----BEGIN PUBLIC KEY-----"
          value={text}
          error={sending.of('publicKey')}
          onValue={setText}
        />
      </Form>
    </Card>
  )
}
