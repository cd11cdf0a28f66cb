// Upload of files and folders with progress; files can be dropped anywhere on the page.
// Tested by test/browser/uploads.test.ts
import { useEffect, useState } from 'preact/hooks'
import type { KeyPlace } from '../app/as-key.ts'
import { messageOf } from '../app/api.ts'
import { droppedFiles, filesOf } from './chosen-files.ts'
import { nameOf, type NamedFile } from './upload-body.ts'
import { upload, type Upload, type UploadProgress } from './upload.ts'

type UploadState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'sending'
      readonly name: string
      readonly progress: UploadProgress
      readonly upload: Upload
    }
  | { readonly kind: 'done'; readonly name: string; readonly cid: string }
  /** `isBegun`: the server has some of its bytes. */
  | {
      readonly kind: 'failed'
      readonly why: string
      readonly files: readonly NamedFile[]
      readonly isBegun: boolean
    }

export type Uploading = {
  readonly state: UploadState
  /** Files are dragged over the page. */
  readonly isOver: boolean
  send(files: readonly NamedFile[]): void
  addChosen(input: HTMLInputElement): void
  dismiss(): void
}

/** `place` null: uploads are not possible. */
export function useUpload(place: KeyPlace | null, onDone: () => void): Uploading {
  const [state, setState] = useState<UploadState>({ kind: 'idle' })
  const [isOver, setOver] = useState(false)
  const fail = (thrown: unknown, files: readonly NamedFile[] = [], isBegun = false): void =>
    setState({ kind: 'failed', why: messageOf(thrown), files, isBegun })
  const send = (files: readonly NamedFile[]): void => {
    if (files.length === 0 || state.kind === 'sending' || place === null) return
    const name = nameOf(files)
    let isBegun = false
    const show = (progress: UploadProgress): void => {
      isBegun ||= progress.sent > 0
      setState({ kind: 'sending', name, progress, upload: sending })
    }
    const sending = upload(place, files, show)
    const all = files.reduce((sum, { file }) => sum + file.size, 0)
    show({ sent: 0, all, isWaiting: false })
    sending.done.then(
      (cid) => {
        setState({ kind: 'done', name, cid })
        onDone()
      },
      (thrown: unknown) => {
        fail(thrown, files, isBegun)
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
      if (event.dataTransfer !== null) droppedFiles(event.dataTransfer).then(send, fail)
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
    addChosen(input) {
      try {
        send(filesOf(input.files ?? []))
      } catch (thrown) {
        fail(thrown)
      }
      input.value = ''
    },
    dismiss: () => setState({ kind: 'idle' }),
  }
}
