// Upload of files and folders, with progress.
// Tested by test/browser/files.test.ts
import { useRef, useState } from 'preact/hooks'
import type { KeyPlace } from '../app/as-key.ts'
import { formatBytes } from '../app/format.ts'
import { Card } from '../ui/card.tsx'
import { Note } from '../ui/note.tsx'
import { Value } from '../ui/copy.tsx'
import { Progress } from '../ui/progress.tsx'
import { nameOf, namedFiles, type NamedFile, upload, type Upload } from './upload.ts'

type State =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'sending'
      readonly name: string
      readonly sent: number
      readonly all: number
      readonly upload: Upload
    }
  | { readonly kind: 'done'; readonly name: string; readonly cid: string }
  | { readonly kind: 'failed'; readonly why: string }

export function UploadCard({ place, onDone }: { readonly place: KeyPlace; onDone(): void }) {
  const [state, setState] = useState<State>({ kind: 'idle' })
  const folder = useRef<HTMLInputElement>(null)
  const send = (files: readonly NamedFile[]): void => {
    if (files.length === 0 || state.kind === 'sending') return
    const name = nameOf(files)
    const all = files.reduce((sum, { file }) => sum + file.size, 0)
    const sending = upload(place, files, (sent, total) =>
      setState({ kind: 'sending', name, sent, all: total, upload: sending }),
    )
    setState({ kind: 'sending', name, sent: 0, all, upload: sending })
    sending.done.then(
      (cid) => {
        setState({ kind: 'done', name, cid })
        onDone()
      },
      (thrown: unknown) => {
        setState({ kind: 'failed', why: thrown instanceof Error ? thrown.message : String(thrown) })
        onDone()
      },
    )
  }
  const take = (input: HTMLInputElement): void => {
    send(namedFiles(input.files ?? []))
    input.value = ''
  }
  return (
    <Card
      title="Upload"
      about="Choose or drop files and folders. Cairn pins them under the CID that ipfs add computes."
    >
      <div
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          send(namedFiles(event.dataTransfer?.files ?? []))
        }}
      >
        <div class="row">
          <label class="button primary">
            Upload files
            <input
              class="unseen"
              type="file"
              multiple
              disabled={state.kind === 'sending'}
              onChange={(event) => take(event.currentTarget)}
            />
          </label>
          <label class="button">
            Upload a folder
            <input
              class="unseen"
              type="file"
              ref={folder}
              {...{ webkitdirectory: true }}
              disabled={state.kind === 'sending'}
              onChange={(event) => take(event.currentTarget)}
            />
          </label>
        </div>
        <Now state={state} />
      </div>
    </Card>
  )
}

function Now({ state }: { readonly state: State }) {
  switch (state.kind) {
    case 'idle':
      return null
    case 'failed':
      return <Note tone="bad">{state.why}</Note>
    case 'done':
      return (
        <div class="stack tight" role="status">
          <Note tone="good">{`${state.name} is uploaded and pinned.`}</Note>
          <Value text={state.cid} title="Copy the CID" />
        </div>
      )
    case 'sending': {
      const { name, sent, all } = state
      const text = sent >= all ? 'writing to disk' : `${formatBytes(sent)} of ${formatBytes(all)}`
      return (
        <div class="stack tight">
          <Progress title={name} value={sent} max={all} text={text} />
          <div class="row">
            <button class="button small" type="button" onClick={() => state.upload.stop()}>
              Stop
            </button>
          </div>
        </div>
      )
    }
  }
}
