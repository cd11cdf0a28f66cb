// Sends files with a key as a resumable upload (tus protocol) and reports progress. After a disconnect it resumes from the server's
// offset; also after the page was closed, if the same files are selected again within a day.
// Tested by test/browser/uploads.test.ts
import { ApiError } from '../app/api.ts'
import { type KeyPlace, refusalOf, uploadsUrl } from '../app/as-key.ts'
import { findUpload, rememberUpload } from './begun-uploads.ts'
import { bodyOf, type NamedFile } from './upload-body.ts'

export type Upload = {
  /** Resolves with the CID of the root. Rejects with ApiError. */
  readonly done: Promise<string>
  /** Aborts the upload and removes the bytes sent so far. */
  stop(): void
}

/** Bytes. `isWaiting`: the connection broke, and the next attempt follows within 16 s. */
export type UploadProgress = {
  readonly sent: number
  readonly all: number
  readonly isWaiting: boolean
}

/** Pauses before retries. An attempt that sends bytes resets the sequence. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 16_000]
/** Bytes per request: a browser may resend the whole body of a broken request by itself. */
const pieceBytes = 16 * 1024 * 1024
/** Another request holds the upload, the rate is limited, or a server is unreachable: a retry may succeed. */
const passing = [404, 409, 423, 429, 502, 503, 504]

type Task = {
  readonly url: string
  readonly body: ReturnType<typeof bodyOf>
  readonly signal: AbortSignal
  readonly onProgress: (progress: UploadProgress) => void
}

/** A single file is its own root; several files and folders are wrapped in a folder. */
export function upload(
  place: KeyPlace,
  files: readonly NamedFile[],
  onProgress: (progress: UploadProgress) => void,
): Upload {
  const controller = new AbortController()
  const body = bodyOf(files, `${place.account} ${place.key}`)
  const task = { url: uploadsUrl(place), body, signal: controller.signal, onProgress }
  return { done: send(task), stop: () => controller.abort() }
}

async function send(task: Task): Promise<string> {
  const { url, body, signal, onProgress } = task
  const { fingerprint, blob } = body
  let stored = 0
  for (let failures = 0; ;) {
    try {
      let state = (await stateOf(task)) ?? (await begin(task))
      while (state.cid === null) {
        if (state.offset > stored) failures = 0
        stored = state.offset
        state = await append(task, stored)
      }
      rememberUpload(fingerprint, null)
      return state.cid
    } catch (thrown) {
      if (signal.aborted) {
        const begun = findUpload(fingerprint)
        if (begun !== null) await request('DELETE', `${url}/${begun}`, {}).catch(() => null)
        rememberUpload(fingerprint, null)
        throw new ApiError('stopped', 'The upload was stopped.', 0, {})
      }
      const pauseMs = isPassing(thrown) ? pausesMs[failures] : undefined
      if (pauseMs === undefined) throw thrown
      failures += 1
      onProgress({ sent: stored, all: blob.size, isWaiting: true })
      await pause(pauseMs, signal)
    }
  }
}

function isPassing(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 0 || passing.includes(thrown.status))
}

/** `cid`: the upload is complete. */
type State = { readonly offset: number; readonly cid: string | null }

/** Null: it has not started, or the server has removed it. */
async function stateOf({ url, body, signal }: Task): Promise<State | null> {
  const begun = findUpload(body.fingerprint)
  if (begun === null) return null
  const reply = await request('HEAD', `${url}/${begun}`, { signal })
  if (reply.status === 404) {
    rememberUpload(body.fingerprint, null)
    return null
  }
  if (reply.status >= 400) throw refusalOf(reply.status, reply.text)
  return stateIn(reply)
}

async function begin({ url, body, signal }: Task): Promise<State> {
  const metadata = Object.entries(body.metadata)
    .map(([name, value]) => `${name} ${base64(value)}`)
    .join(',')
  const headers = { 'upload-length': String(body.blob.size), 'upload-metadata': metadata }
  const reply = await request('POST', url, { headers, signal })
  if (reply.status !== 201) throw refusalOf(reply.status, reply.text)
  rememberUpload(body.fingerprint, reply.header('location')?.split('/').at(-1) ?? '')
  return stateIn(reply)
}

async function append({ url, body, signal, onProgress }: Task, offset: number): Promise<State> {
  const begun = findUpload(body.fingerprint) ?? ''
  const all = body.blob.size
  const reply = await request('PATCH', `${url}/${begun}`, {
    headers: {
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
    },
    body: body.blob.slice(offset, offset + pieceBytes),
    signal,
    onSent: (sent) => onProgress({ sent: offset + sent, all, isWaiting: false }),
  })
  const state = stateIn(reply)
  const isStored = reply.status === 204 && state.offset > offset
  if (reply.status !== 200 && !isStored) throw refusalOf(reply.status, reply.text)
  return state
}

function stateIn({ header }: Reply): State {
  return { offset: Number(header('upload-offset') ?? 0), cid: header('x-cairn-cid') }
}

type Reply = {
  readonly status: number
  readonly text: string
  readonly header: (name: string) => string | null
}

/**
 * Resolves with any reply. Rejects with ApiError of status 0 if there is none. XMLHttpRequest, because `fetch` reports no upload
 * progress.
 */
function request(
  method: string,
  url: string,
  {
    headers = {},
    body = null,
    signal,
    onSent,
  }: {
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Blob | null
    readonly signal?: AbortSignal
    readonly onSent?: (sent: number) => void
  },
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = (): void => request.abort()
    request.open(method, url)
    request.setRequestHeader('x-cairn-admin', '1')
    request.setRequestHeader('tus-resumable', '1.0.0')
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (onSent !== undefined) request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () =>
      resolve({
        status: request.status,
        text: request.responseText,
        header: (name) => request.getResponseHeader(name),
      })
    const fail = (): void => reject(new ApiError('offline', 'The connection broke.', 0, {}))
    request.onerror = fail
    request.onabort = fail
    request.onloadend = () => signal?.removeEventListener('abort', stop)
    signal?.addEventListener('abort', stop)
    if (signal?.aborted === true) fail()
    else request.send(body)
  })
}

/** Ends early if `signal` aborts, or if the browser is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    addEventListener('online', end)
  })
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
