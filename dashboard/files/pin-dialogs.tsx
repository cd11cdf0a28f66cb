// Dialogs about pins: pin a CID, rename, unpin several.
// Tested by test/browser/files.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { formatCount } from '../app/format.ts'
import { Cancel, ConfirmDialog, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { useToast } from '../ui/toast.tsx'

export type Pin = AdminReply<'GET /accounts/{account}/files'>['pins'][number]

/** The name of the pin, or the start of its CID. */
export function pinTitle({ name, cid }: Pick<Pin, 'name' | 'cid'>): string {
  return name === '' ? `${cid.slice(0, 12)}…` : name
}

type Props = { readonly place: KeyPlace; onDone(): void; onClose(): void }

/** Cairn fetches missing blocks first. */
export function PinDialog({ place, onDone, onClose }: Props) {
  const [cid, setCid] = useState('')
  const [name, setName] = useState('')
  const sending = useSending()
  const toast = useToast()
  return (
    <Dialog title="Pin a CID" onClose={onClose}>
      <Form
        sending={sending}
        action="Pin"
        secondary={<Cancel onClose={onClose} />}
        onSend={async () => {
          const sent = { arg: cid.trim(), ...(name.trim() === '' ? {} : { name: name.trim() }) }
          await (await callFiles(place, 'pin/add', sent)).text()
          toast('Pinned')
          onDone()
          onClose()
        }}
      >
        <TextField
          title="CID"
          hint="If it isn't here yet, Cairn fetches it from IPFS."
          value={cid}
          onValue={setCid}
          autocomplete="off"
          placeholder="bafybei…"
        />
        <TextField title="Name" value={name} maxLength={255} autocomplete="off" onValue={setName} />
      </Form>
    </Dialog>
  )
}

export function RenameDialog({ pin, place, onDone, onClose }: Props & { readonly pin: Pin }) {
  const [name, setName] = useState(pin.name)
  const sending = useSending()
  const toast = useToast()
  return (
    <Dialog title={`Rename ${pinTitle(pin)}`} onClose={onClose}>
      <Form
        sending={sending}
        action="Rename"
        secondary={<Cancel onClose={onClose} />}
        onSend={async () => {
          await renamePin(place, pin, name.trim())
          toast('Renamed')
          onDone()
          onClose()
        }}
      >
        <TextField
          title="Name"
          value={name}
          maxLength={255}
          autocomplete="off"
          focused
          onValue={setName}
        />
      </Form>
    </Dialog>
  )
}

/** Pinning again replaces the name. Rejects with ApiError. */
export async function renamePin(place: KeyPlace, pin: Pin, name: string): Promise<void> {
  const recursive = String(pin.mode === 'recursive')
  await (await callFiles(place, 'pin/add', { arg: pin.cid, name, recursive })).text()
}

/** Rejects with ApiError. */
export async function unpin(place: KeyPlace, { cid, mode }: Pin): Promise<void> {
  const recursive = String(mode === 'recursive')
  await (await callFiles(place, 'pin/rm', { arg: cid, recursive })).text()
}

export function UnpinSeveral({
  pins,
  place,
  onDone,
  onClose,
}: Props & { readonly pins: readonly Pin[] }) {
  const toast = useToast()
  const files = formatCount(pins.length, 'file')
  return (
    <ConfirmDialog
      title={`Unpin ${files}?`}
      action={`Unpin ${files}`}
      keep="Keep files"
      typed={String(pins.length)}
      onClose={onClose}
      onConfirm={async () => {
        for (const pin of pins) await unpin(place, pin)
        toast(`${files} unpinned`)
        onDone()
      }}
    >
      The next garbage collection deletes their blocks, unless another pin contains them. Copies
      that others fetched remain.
    </ConfirmDialog>
  )
}
