// Calls of the JSON-RPC API and the IPFS API as a key of the account, with its limits, units and usage. The session
// authenticates the person.
// Tested by test/browser/proof.test.ts
import { adminBase } from '../../src/admin/admin-route.ts'
import { ApiError } from './api.ts'

export type KeyPlace = { readonly account: string; readonly key: string }

type RpcReply = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  /** The proof bundle, if requested. */
  readonly proof?: unknown
}

export type RpcAnswer = {
  readonly reply: RpcReply
  /** Header `x-cairn-verified`; null: absent. */
  readonly verified: string | null
  readonly ms: number
}

const guard = { 'x-cairn-admin': '1' }

/** One JSON-RPC call. Errors of the call are in the reply. Rejects with ApiError if the server refuses the request. */
export async function callRpc(
  { account, key }: KeyPlace,
  network: string,
  method: string,
  params: readonly unknown[],
  { proof = false, signal }: { readonly proof?: boolean; readonly signal?: AbortSignal } = {},
): Promise<RpcAnswer> {
  const began = performance.now()
  const response = await request(`${base(account, key)}/rpc/${encodeURIComponent(network)}`, {
    method: 'POST',
    headers: {
      ...guard,
      'content-type': 'application/json',
      ...(proof ? { 'x-cairn-proof': '1' } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  const reply = parse(text)
  if (reply === null || (reply.error === undefined && !response.ok)) throw refusal(response, text)
  const verified = response.headers.get('x-cairn-verified')
  return { reply, verified, ms: performance.now() - began }
}

/** Runs an IPFS command, such as `block/get`, with its query. Rejects with ApiError if the server refuses it. */
export async function callFiles(
  { account, key }: KeyPlace,
  command: string,
  query: Readonly<Record<string, string>> = {},
  { body = null, signal }: { readonly body?: FormData | null; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const url = `${filesUrl({ account, key }, command)}?${new URLSearchParams(query)}`
  const response = await request(url, {
    method: 'POST',
    headers: guard,
    body,
    ...(signal === undefined ? {} : { signal }),
  })
  if (!response.ok) throw refusal(response, await response.text())
  return response
}

function filesUrl({ account, key }: KeyPlace, command: string): string {
  return `${base(account, key)}/files/${command}`
}

/** URL of the key's resumable uploads. */
export function uploadsUrl({ account, key }: KeyPlace): string {
  return `${base(account, key)}/uploads`
}

/** The error of a refused IPFS command or request. */
export function refusalOf(status: number, text: string): ApiError {
  const { Message, error } = (parse(text) ?? {}) as unknown as {
    Message?: string
    error?: { code?: string; message?: string }
  }
  const message =
    Message ?? error?.message ?? (text.trim() || `the server replied with status ${status}`)
  return new ApiError(String(error?.code ?? status), message, status, {})
}

function refusal(response: Response, text: string): ApiError {
  return refusalOf(response.status, text)
}

function base(account: string, key: string): string {
  return `${adminBase}/accounts/${encodeURIComponent(account)}/keys/${encodeURIComponent(key)}`
}

async function request(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...options, credentials: 'same-origin', redirect: 'error' })
  } catch (cause) {
    if (options.signal?.aborted === true) throw cause
    throw new ApiError('offline', "Can't reach Cairn. Check that the server is running.", 0, {})
  }
}

function parse(text: string): RpcReply | null {
  try {
    return JSON.parse(text) as RpcReply
  } catch {
    return null
  }
}
