// Dialogs for pins: pin a CID, rename, unpin several.
// Tested by test/browser/files.test.ts
import { useState } from 'preact/hooks'
import { messageOf } from '../app/api.ts'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { formatCount } from '../app/format.ts'
import { Cancel, ConfirmDialog, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { useToast } from '../ui/toast.tsx'
import { type Pin, pinTitle, renamePin, restorePin, unpin } from './pin-calls.ts'

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

/** Removes pins one by one. Those removed before an error remain removed. */
export function UnpinSeveral({
  pins,
  place,
  onDone,
  onClose,
}: Props & { readonly pins: readonly Pin[] }) {
  const toast = useToast()
  const [left, setLeft] = useState(pins)
  const files = formatCount(left.length, 'file')
  const restore = async (removed: readonly Pin[]): Promise<void> => {
    try {
      for (const pin of removed) await restorePin(place, pin)
    } catch (error) {
      toast(messageOf(error), 'bad')
    }
    onDone()
  }
  return (
    <ConfirmDialog
      title={`Unpin ${files}?`}
      action={`Unpin ${files}`}
      keep="Keep files"
      typed={String(pins.length)}
      onClose={onClose}
      onConfirm={async () => {
        const removed: Pin[] = []
        try {
          for (const pin of left) {
            await unpin(place, pin)
            removed.push(pin)
            setLeft(left.slice(removed.length))
          }
        } finally {
          if (removed.length > 0) {
            toast(`${formatCount(removed.length, 'file')} unpinned`, 'good', () => {
              void restore(removed)
            })
          }
          onDone()
        }
      }}
    >
      The next garbage collection deletes their blocks, unless another pin contains them. Copies
      that others fetched remain.
    </ConfirmDialog>
  )
}
