// Form for one upstream of a saved network. Its whole URL and its header values are never shown: empty fields keep them.
// Tested by test/browser/networks.test.ts
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import { useConfirming } from '../../ui/confirming.tsx'
import { Cancel, Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, useSending } from '../../ui/form.tsx'
import { Note } from '../../ui/note.tsx'
import { useToast } from '../../ui/toast.tsx'
import { checkLimits, LimitField } from '../keys/limit-field.tsx'
import { HeaderFields, ProbeResult, TestButton, TrustField, useProbe } from './upstream-fields.tsx'

export type EditedUpstream = {
  readonly name: string
  readonly url: string
  readonly trusted: boolean
  readonly paused: boolean
  /** Header names. */
  readonly headers: readonly string[]
  readonly requestsPerSecond: number | null
}

export function EditUpstream({
  network,
  upstream,
  upstreams,
  onDone,
  onClose,
}: {
  readonly network: string
  readonly upstream: EditedUpstream
  /** Names of all upstreams of the network, in their order. */
  readonly upstreams: readonly string[]
  onDone(): void
  onClose(): void
}) {
  const { name } = upstream
  const sending = useSending()
  const probing = useProbe()
  const confirming = useConfirming()
  const toast = useToast()
  const [url, setUrl] = useState('')
  const [header, setHeader] = useState('')
  const [value, setValue] = useState('')
  const [trusted, setTrusted] = useState(upstream.trusted)
  const [requestsPerSecond, setRate] = useState(upstream.requestsPerSecond)
  const headerName = header.trim()
  const headers = headerName === '' ? {} : { headers: { [headerName]: value } }
  const changed = { ...(url.trim() === '' ? {} : { url: url.trim() }), ...headers }
  const save = async (): Promise<void> => {
    checkLimits({ requestsPerSecond })
    await confirming(() =>
      call('PATCH /networks/{network}', {
        network,
        upstreams: upstreams.map((one) =>
          one === name
            ? { name, ...changed, trusted, paused: upstream.paused, requestsPerSecond }
            : { name: one },
        ),
      }),
    )
    toast(`${name} is changed`)
    onClose()
    onDone()
  }
  const isNew = url.trim() !== ''
  return (
    <Dialog title={`Edit ${name} of ${network}`} onClose={onClose} look="wide">
      <Form
        sending={sending}
        action="Save changes"
        fields={['upstreams', 'requestsPerSecond']}
        onSend={save}
        secondary={
          <>
            {isNew && (
              <TestButton
                probing={probing}
                onTest={() =>
                  probing.test({ name: network, upstreams: [{ name, ...changed, trusted }] })
                }
              />
            )}
            <Cancel onClose={onClose} />
          </>
        }
      >
        <TextField
          title="New URL"
          hint={`If empty, ${upstream.url} and its path stay.`}
          type="url"
          autocomplete="off"
          value={url}
          error={sending.of('upstreams') ?? probing.sending.of('upstreams')}
          onValue={(text) => {
            setUrl(text)
            probing.clear()
          }}
        />
        <HeaderFields
          title="New header"
          hint={
            upstream.headers.length === 0
              ? 'It has none.'
              : `If empty, ${upstream.headers.join(', ')} stays.`
          }
          name={header}
          value={value}
          onName={setHeader}
          onValue={setValue}
        />
        {isNew && upstream.headers.length > 0 && headerName === '' && (
          <Note tone="warn">A new URL is called without the stored header. Enter it again.</Note>
        )}
        <LimitField
          title="Requests per second"
          hint="Cairn sends no more to this upstream."
          value={requestsPerSecond}
          error={sending.of('requestsPerSecond')}
          onValue={setRate}
        />
        <TrustField value={trusted} onValue={setTrusted} />
        <ProbeResult probing={probing} />
      </Form>
    </Dialog>
  )
}
