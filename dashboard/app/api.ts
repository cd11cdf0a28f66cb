// Client of the admin API: JSON requests and replies, the session in a cookie that scripts cannot read, and a header
// that a form on another site cannot send.
import {
  addressOf,
  type AdminRequest,
  createAdminCaller,
  requestOf,
} from '../../src/admin/client.ts'

/** Dispatched on the window when a call is refused because the session has ended. */
export const signedOutEvent = 'cairn-signed-out'

/** Dispatched on the window after each call; `detail`: whether the server replied. */
export const reachedEvent = 'cairn-reached'

const guardHeader = 'x-cairn-admin'

/** An error of the API. `message` is the API's text. */
export class ApiError extends Error {
  /** Code of the error table, such as `signed_out` or `bad_input`; `offline` if the server did not reply. */
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

  /** The invalid member of the input; null: the error names none. */
  get field(): string | null {
    const field = this.data['field']
    return typeof field === 'string' && field !== '' ? field : null
  }
}

/** Text of an error, for display. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Runs an operation. Dispatches `signedOutEvent` if the session has ended. Rejects with ApiError. */
export const call = createAdminCaller(async (route, input, signal) => {
  try {
    return await send(requestOf(route, input), signal)
  } catch (error) {
    if (isSignedOut(error)) dispatchEvent(new Event(signedOutEvent))
    throw error
  }
})

/** As `call`, without the event. */
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
    const response = await fetch(url, {
      ...options,
      credentials: 'same-origin',
      redirect: 'error',
    })
    dispatchEvent(new CustomEvent(reachedEvent, { detail: true }))
    return response
  } catch (cause) {
    if (options.signal?.aborted === true) throw cause
    dispatchEvent(new CustomEvent(reachedEvent, { detail: false }))
    throw new ApiError('offline', "Can't reach Cairn. Check that the server is running.", 0, {})
  }
}

function errorOf(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as {
      error: { code: string; message: string; data?: Record<string, unknown> }
    }
    return new ApiError(error.code, error.message, status, error.data ?? {})
  } catch {
    return new ApiError('internal', `the server replied with status ${status}`, status, {})
  }
}
