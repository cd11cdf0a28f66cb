// Parts of the forms for an upstream: its header, the trust in it, and a test of its URL.
// Tested by test/browser/networks.test.ts
import { useState } from 'preact/hooks'
import type { AdminInput } from '../../../src/admin/client.ts'
import { call } from '../../app/api.ts'
import { useConfirming } from '../../ui/confirming.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { type Sending, useSending } from '../../ui/form.tsx'
import { type Probe, ProbeTable } from './probe-table.tsx'

type Probing = {
  readonly sending: Sending
  /** Null: the URL was not tested since its last change. */
  readonly probe: Probe | null
  test(sent: AdminInput<'POST /network-probe'>): void
  clear(): void
}

export function useProbe(): Probing {
  const sending = useSending()
  const confirming = useConfirming()
  const [probe, setProbe] = useState<Probe | null>(null)
  return {
    sending,
    probe,
    clear: () => setProbe(null),
    test(sent) {
      void sending.run(async () => {
        setProbe(null)
        setProbe(await confirming(() => call('POST /network-probe', sent)))
      })
    },
  }
}

export function TestButton({
  probing,
  disabled = false,
  onTest,
}: {
  readonly probing: Probing
  readonly disabled?: boolean
  onTest(): void
}) {
  const { busy } = probing.sending
  return (
    <button class="button" type="button" disabled={busy || disabled} onClick={onTest}>
      {busy ? 'Testing…' : 'Test'}
    </button>
  )
}

/** The URL field shows errors of `upstreams`. */
export function ProbeResult({ probing: { sending, probe } }: { readonly probing: Probing }) {
  return (
    <>
      {sending.error !== null && sending.of('upstreams') === null && (
        <p class="field-error" role="alert">
          {sending.error.message}
        </p>
      )}
      {probe !== null && <ProbeTable probe={probe} />}
    </>
  )
}

export function HeaderFields({
  title,
  hint,
  name,
  value,
  onName,
  onValue,
}: {
  readonly title: string
  readonly hint?: string
  readonly name: string
  readonly value: string
  onName(name: string): void
  onValue(value: string): void
}) {
  return (
    <div class="grid">
      <TextField
        title={title}
        {...(hint === undefined ? {} : { hint })}
        placeholder="authorization"
        autocomplete="off"
        value={name}
        onValue={onName}
      />
      <TextField title="Value" type="password" autocomplete="off" value={value} onValue={onValue} />
    </div>
  )
}

export function TrustField({
  value,
  onValue,
}: {
  readonly value: boolean
  onValue(value: boolean): void
}) {
  return (
    <CheckField
      title="I run this node: trust its word for the newest block"
      hint="Replies that can be proved are checked in any case."
      value={value}
      onValue={onValue}
    />
  )
}
