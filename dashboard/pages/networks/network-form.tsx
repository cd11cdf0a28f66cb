// Form for a new network, or for an additional upstream of a saved network: queries the URL first, then saves and serves it
// immediately.
// Tested by test/browser/networks.test.ts
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import { Card } from '../../ui/card.tsx'
import { useConfirming } from '../../ui/confirming.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { HeaderFields, ProbeResult, TestButton, TrustField, useProbe } from './upstream-fields.tsx'

/** `upstreams`: names of the existing upstreams. */
export type Extended = { readonly name: string; readonly upstreams: readonly string[] }

const nothing = { name: '', url: '', header: '', value: '' }

export function NetworkForm({
  network,
  onDone,
  onClose,
}: {
  /** Null: the network is new. */
  readonly network: Extended | null
  /** Receives the name of the network. */
  onDone(name: string): void
  onClose(): void
}) {
  const sending = useSending()
  const probing = useProbe()
  const confirming = useConfirming()
  const toast = useToast()
  const [texts, setTexts] = useState(nothing)
  const [hasHeader, setHasHeader] = useState(false)
  const [trusted, setTrusted] = useState(network === null)
  const name = network?.name ?? texts.name.trim()
  const header = texts.header.trim()
  const upstream = {
    url: texts.url.trim(),
    trusted,
    ...(hasHeader && header !== '' ? { headers: { [header]: texts.value } } : {}),
  }
  const set = (member: keyof typeof nothing) => (value: string) => {
    setTexts({ ...texts, [member]: value })
    probing.clear()
  }
  const save = async (): Promise<void> => {
    if (network === null) {
      await confirming(() => call('POST /networks', { name, upstreams: [upstream] }))
      toast(`${name} is served`)
    } else {
      const upstreams = [...network.upstreams.map((one) => ({ name: one })), upstream]
      await confirming(() =>
        call('PATCH /networks/{network}', { network: network.name, upstreams }),
      )
      toast(`${network.name} has one more upstream`)
    }
    onClose()
    onDone(name)
  }
  const isWrong = probing.probe?.problems.some(({ level }) => level === 'problem') === true
  return (
    <Card title={network === null ? 'New network' : `New upstream for ${network.name}`}>
      <Form
        sending={sending}
        action={network === null ? 'Add network' : 'Add upstream'}
        fields={['name', 'url', 'upstreams']}
        onSend={save}
        secondary={
          <>
            <TestButton
              probing={probing}
              disabled={upstream.url === ''}
              onTest={() =>
                probing.test({ ...(name === '' ? {} : { name }), upstreams: [upstream] })
              }
            />
            <button class="button quiet" type="button" onClick={onClose}>
              Cancel
            </button>
          </>
        }
      >
        {network === null && (
          <TextField
            title="Name"
            hint="As in the URL that you call: mainnet, sepolia."
            value={texts.name}
            maxLength={63}
            autocomplete="off"
            error={sending.of('name')}
            onValue={set('name')}
          />
        )}
        <TextField
          title="URL of the node"
          hint="Its path and headers are stored encrypted and never shown again."
          type="url"
          placeholder="https://node-a.example.org:8545"
          autocomplete="off"
          value={texts.url}
          error={sending.of('upstreams') ?? probing.sending.of('upstreams')}
          onValue={set('url')}
        />
        <CheckField title="It needs a header or a token" value={hasHeader} onValue={setHasHeader} />
        {hasHeader && (
          <HeaderFields
            title="Header"
            name={texts.header}
            value={texts.value}
            onName={set('header')}
            onValue={set('value')}
          />
        )}
        <TrustField value={trusted} onValue={setTrusted} />
        <ProbeResult probing={probing} />
        {isWrong && <p class="hint">Fix the problems first: Cairn refuses such an upstream.</p>}
      </Form>
    </Card>
  )
}
