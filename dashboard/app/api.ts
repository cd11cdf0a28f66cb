// The admin API as the page calls it: JSON in and out, the session in a cookie that scripts cannot read, and a header
// that no form of another site can send.

export const apiBase = '/api/v1'
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

/** What an operation of the table answers: `Reply<typeof listKeys>`, with an `import type` of the operation. */
export type Reply<Operation> = Operation extends {
  run(...args: never[]): infer Result
}
  ? Awaited<Result>
  : never

/** One event of an operation that gives events. */
export type Event<Operation> = Operation extends {
  run(...args: never[]): AsyncIterable<infer Each>
}
  ? Each
  : never

/** What may stand in a path or a query; bodies hold any JSON. */
type Plain = string | number | boolean

type Sent = Readonly<Record<string, unknown>>

/**
 * Runs the operation of that method and path: `call('POST /accounts/{account}/keys', { account, name })`. Members named in
 * braces go into the path; of GET and DELETE the rest goes into the query, else into the body. Rejects with ApiError, and
 * tells the window when that says that nobody is signed in.
 */
export async function call<Operation>(
  operation: string,
  sent: Sent = {},
  signal?: AbortSignal,
): Promise<Reply<Operation>> {
  try {
    return await ask<Operation>(operation, sent, signal)
  } catch (error) {
    if (isSignedOut(error)) dispatchEvent(new Event(signedOutEvent))
    throw error
  }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'signed_out'
}

/** As `call`, and tells nobody. */
export async function ask<Operation>(
  operation: string,
  sent: Sent = {},
  signal?: AbortSignal,
): Promise<Reply<Operation>> {
  const { method, url, body } = requestOf(operation, sent)
  const response = await send(url, {
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
  return (text === '' ? undefined : JSON.parse(text)) as Reply<Operation>
}

/** Address of a GET operation, for links that download and for event streams. */
export function urlOf(operation: string, sent: Sent = {}): string {
  return requestOf(operation, sent).url
}

export function requestOf(
  operation: string,
  sent: Sent,
): { readonly method: string; readonly url: string; readonly body: string | null } {
  const [method = '', pattern = ''] = operation.split(' ')
  const rest = new Map(Object.entries(sent).filter(([, value]) => value !== undefined))
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = rest.get(name)
    if (value === undefined) throw new Error(`${operation} needs ${name}`)
    rest.delete(name)
    return encodeURIComponent(value as Plain)
  })
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, url: apiBase + path, body: JSON.stringify(Object.fromEntries(rest)) }
  }
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, `${value as Plain}`]))
  return { method, url: apiBase + path + (rest.size === 0 ? '' : `?${query}`), body: null }
}

async function send(url: string, options: RequestInit): Promise<Response> {
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
