// Form for the settings of a saved network: its verification, and whether it serves paths without a network name.
// Tested by test/browser/networks.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { useConfirming } from '../../ui/confirming.tsx'
import { Cancel, Dialog } from '../../ui/dialog.tsx'
import { CheckField, SelectField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'

type Network = AdminReply<'GET /networks'>['networks'][number]

const modes = [
  { value: '', title: 'As the server' },
  { value: 'require', title: 'Require a proof: refuse answers without one' },
  { value: 'prefer', title: 'Prefer a proof: label answers without one' },
  { value: 'off', title: 'Off: pass answers through' },
]

export function EditNetwork({
  network: { name, isDefault, verify },
  onDone,
  onClose,
}: {
  readonly network: Network
  onDone(): void
  onClose(): void
}) {
  const sending = useSending()
  const confirming = useConfirming()
  const toast = useToast()
  const { default: modeNow = '', ...methods } = verify
  const [mode, setMode] = useState(modeNow)
  const [first, setFirst] = useState(isDefault)
  const save = async (): Promise<void> => {
    await confirming(() =>
      call('PATCH /networks/{network}', {
        network: name,
        verify: mode === '' ? methods : { ...methods, default: mode },
        ...(first === isDefault ? {} : { isDefault: first }),
      }),
    )
    toast(`${name} is changed`)
    onClose()
    onDone()
  }
  const own = Object.entries(methods)
  return (
    <Dialog title={`Settings of ${name}`} onClose={onClose}>
      <Form
        sending={sending}
        action="Save changes"
        fields={['verify', 'isDefault']}
        onSend={save}
        secondary={<Cancel onClose={onClose} />}
      >
        <SelectField
          title="Verification"
          hint={
            own.length === 0
              ? 'For all methods.'
              : `For methods without a mode of their own: ${own.map(([method, one]) => `${method} ${one}`).join(', ')}.`
          }
          value={mode}
          options={modes}
          error={sending.of('verify')}
          onValue={setMode}
        />
        <CheckField
          title="Default network"
          hint="Calls without a network in their path go to it."
          value={first}
          onValue={setFirst}
        />
        {sending.of('isDefault') !== null && (
          <p class="field-error" role="alert">
            {sending.of('isDefault')}
          </p>
        )}
      </Form>
    </Dialog>
  )
}
