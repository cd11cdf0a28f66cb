// Sends files to `add` as a key, with the bytes on their way told as they go.
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

/** `onSent`: bytes sent, of how many. A single file alone is its own root; several are wrapped in a folder. */
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
    request.onerror = () => reject(new ApiError('offline', 'The upload broke off.', 0, {}))
    request.onabort = () => reject(new ApiError('stopped', 'The upload was stopped.', 0, {}))
    request.send(form)
  })
  return { done, stop: () => request.abort() }
}

/** What a person called it: the file, or the folder they are in. */
export function nameOf(files: readonly NamedFile[]): string {
  const [first] = files
  if (first === undefined) return ''
  const [folder = '', ...below] = first.path.split('/')
  if (below.length > 0) return folder
  return files.length === 1 ? first.path : `${files.length} files`
}

/** The last line of the answer is the root; one that tells of a failure is none. */
function rootOf(text: string): string | null {
  const last = text.trim().split('\n').at(-1) ?? ''
  try {
    const { Hash } = JSON.parse(last) as { Hash?: unknown }
    return typeof Hash === 'string' ? Hash : null
  } catch {
    return null
  }
}

/** Of a file input or a drop; folders keep their names. */
export function namedFiles(list: Iterable<File>): readonly NamedFile[] {
  return Array.from(list, (file) => ({
    path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
    file,
  }))
}
