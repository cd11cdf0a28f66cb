// The admin API as the page calls it: JSON in and out, the session in a cookie that scripts cannot read, and a header
// that no form of another site can send.
import {
  addressOf,
  type AdminRequest,
  createAdminCaller,
  requestOf,
} from '../../src/gateway/admin/client.ts'

/** Told to the window when a call was refused because nobody is signed in any more. */
export const signedOutEvent = 'cairn-signed-out'

const guardHeader = 'x-cairn-admin'

/** What the API refused. `message` is its own text, for people. */
export class ApiError extends Error {
  /** Of the table of errors: `signed_out`, `bad_input`; `offline` when nothing answered. */
  readonly code: string
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    message: string,
    status: number,
    data: Readonly<Record<string, unknown>>,
  ) {
    super(message)
    this.code = code
    this.status = status
    this.data = data
  }

  /** The member of the input that is wrong; null: none is named. */
  get field(): string | null {
    const field = this.data['field']
    return typeof field === 'string' && field !== '' ? field : null
  }
}

/** What went wrong, for people. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Runs an operation, and notifies the window of a refusal because the session is over. Rejects with ApiError. */
export const call = createAdminCaller(async (route, input, signal) => {
  try {
    return await send(requestOf(route, input), signal)
  } catch (error) {
    if (isSignedOut(error)) dispatchEvent(new Event(signedOutEvent))
    throw error
  }
})

/** As `call`, without the notice to the window. */
export const callQuietly = createAdminCaller(
  async (route, input, signal) => await send(requestOf(route, input), signal),
)

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'signed_out'
}

async function send(request: AdminRequest, signal: AbortSignal | undefined): Promise<unknown> {
  const { method, body } = request
  const response = await reach(addressOf(request), {
    method,
    headers: {
      accept: 'application/json',
      [guardHeader]: '1',
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === null ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  if (!response.ok) throw errorOf(response.status, text)
  return text === '' ? undefined : JSON.parse(text)
}

async function reach(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...options, credentials: 'same-origin', redirect: 'error' })
  } catch (cause) {
    if (options.signal?.aborted === true) throw cause
    throw new ApiError('offline', 'Cairn does not answer. Is it still running?', 0, {})
  }
}

function errorOf(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as {
      error: { code: string; message: string; data?: Record<string, unknown> }
    }
    return new ApiError(error.code, error.message, status, error.data ?? {})
  } catch {
    return new ApiError('internal', `the server answered ${status}`, status, {})
  }
}
