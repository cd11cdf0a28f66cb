// Sends files to `add` with a key and reports the progress.
// Tested by test/browser/files.test.ts
import { ApiError } from '../app/api.ts'
import { filesUrl, type KeyPlace, refusalOf } from '../app/as-key.ts'

export type Upload = {
  /** Resolves with the CID of the root. Rejects with ApiError. */
  readonly done: Promise<string>
  stop(): void
}

/** A file under its path in the upload: `notes/a.txt`. */
export type NamedFile = { readonly path: string; readonly file: File }

/** `onSent`: bytes sent and total. A single file is its own root; several files are wrapped in a folder. */
export function upload(
  place: KeyPlace,
  files: readonly NamedFile[],
  onSent: (sent: number, all: number) => void,
): Upload {
  const form = new FormData()
  for (const { path, file } of files) {
    form.append('file', file, path.split('/').map(encodeURIComponent).join('%2F'))
  }
  const inFolder = files.some(({ path }) => path.includes('/'))
  const query = new URLSearchParams({
    pin: 'true',
    'cid-version': '1',
    'wrap-with-directory': String(files.length > 1 && !inFolder),
    'pin-name': nameOf(files),
  })
  const request = new XMLHttpRequest()
  const done = new Promise<string>((resolve, reject) => {
    request.open('POST', `${filesUrl(place, 'add')}?${query}`)
    request.setRequestHeader('x-cairn-admin', '1')
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded, total)
    request.onload = () => {
      const root = request.status === 200 ? rootOf(request.responseText) : null
      if (root === null) reject(refusalOf(request.status, request.responseText))
      else resolve(root)
    }
    request.onerror = () => reject(new ApiError('offline', 'The upload was interrupted.', 0, {}))
    request.onabort = () => reject(new ApiError('stopped', 'The upload was stopped.', 0, {}))
    request.send(form)
  })
  return { done, stop: () => request.abort() }
}

/** Name of the upload: of the file or of the folder. */
export function nameOf(files: readonly NamedFile[]): string {
  const [first] = files
  if (first === undefined) return ''
  const [folder = '', ...below] = first.path.split('/')
  if (below.length > 0) return folder
  return files.length === 1 ? first.path : `${files.length} files`
}

/** CID in the last line of the reply; null: that line reports a failure. */
function rootOf(text: string): string | null {
  const last = text.trim().split('\n').at(-1) ?? ''
  try {
    const { Hash } = JSON.parse(last) as { Hash?: unknown }
    return typeof Hash === 'string' ? Hash : null
  } catch {
    return null
  }
}

/** Files of a file input or a drop, with their paths in a folder. */
export function namedFiles(list: Iterable<File>): readonly NamedFile[] {
  return Array.from(list, (file) => ({
    path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
    file,
  }))
}
