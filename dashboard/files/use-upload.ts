// Upload of files and folders with progress; files may be dropped anywhere on the page.
// Tested by test/browser/files.test.ts
import { useEffect, useState } from 'preact/hooks'
import type { KeyPlace } from '../app/as-key.ts'
import { messageOf } from '../app/api.ts'
import { nameOf, namedFiles, type NamedFile, upload, type Upload } from './upload.ts'

type UploadState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'sending'
      readonly name: string
      readonly sent: number
      readonly all: number
      readonly upload: Upload
    }
  | { readonly kind: 'done'; readonly name: string; readonly cid: string }
  | { readonly kind: 'failed'; readonly why: string; readonly files: readonly NamedFile[] }

export type Uploading = {
  readonly state: UploadState
  /** Files are dragged over the page. */
  readonly isOver: boolean
  send(files: readonly NamedFile[]): void
  take(input: HTMLInputElement): void
  dismiss(): void
}

/** `place` null: nothing can be uploaded. */
export function useUpload(place: KeyPlace | null, onDone: () => void): Uploading {
  const [state, setState] = useState<UploadState>({ kind: 'idle' })
  const [isOver, setOver] = useState(false)
  const send = (files: readonly NamedFile[]): void => {
    if (files.length === 0 || state.kind === 'sending' || place === null) return
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
        setState({ kind: 'failed', why: messageOf(thrown), files })
        onDone()
      },
    )
  }
  useEffect(() => {
    if (place === null) return undefined
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      setOver(false)
      send(namedFiles(event.dataTransfer?.files ?? []))
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  })
  return {
    state,
    isOver,
    send,
    take(input) {
      send(namedFiles(input.files ?? []))
      input.value = ''
    },
    dismiss: () => setState({ kind: 'idle' }),
  }
}
