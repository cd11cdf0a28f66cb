// Who can read the pins of the account: private, or public with roots or all blocks announced.
import { useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { Card } from '../ui/card.tsx'
import { SelectField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Show } from '../ui/note.tsx'
import { useToast } from '../ui/toast.tsx'

const levels = [
  { value: 'none', title: 'Only keys of this account' },
  { value: 'roots', title: 'Anyone; the root of each pin is announced' },
  { value: 'all', title: 'Anyone; each block is announced' },
] as const

type Provide = (typeof levels)[number]['value']

export function PublicPins() {
  const account = useAccount()
  const found = useLoaded(
    (signal) => call('GET /accounts/{account}', { account: account.id }, signal),
    [account.id],
  )
  return (
    <Card
      title="Public pins"
      about="Public pins need no key: the gateway and, where it is on, the IPFS network serve them."
    >
      <Show loaded={found}>
        {(value) => (
          <ProvideForm
            account={account.id}
            provide={value.account.settings.provide}
            mayChange={account.role !== 'member'}
          />
        )}
      </Show>
    </Card>
  )
}

function ProvideForm(props: {
  readonly account: string
  readonly provide: Provide
  readonly mayChange: boolean
}) {
  const { account, mayChange } = props
  const sending = useSending()
  const toast = useToast()
  const [provide, setProvide] = useState<Provide>(props.provide)
  const field = (
    <SelectField
      title="Who can read pins"
      hint="When you make pins private, Cairn stops serving them immediately. Copies that others fetched remain, and the IPFS network names this server for up to 48 hours."
      value={provide}
      options={levels}
      disabled={!mayChange}
      error={sending.of('provide')}
      onValue={setProvide}
    />
  )
  if (!mayChange) return field
  return (
    <Form
      sending={sending}
      action="Save"
      fields={['provide']}
      onSend={async () => {
        await call('PUT /accounts/{account}/provide', { account, provide })
        toast('Saved')
      }}
    >
      {field}
    </Form>
  )
}
