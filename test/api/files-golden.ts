// Replays the golden cases of the IPFS API against any server. The cases are stored outside this repository, in the folder
// CAIRN_VECTORS.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export type Account = { readonly key: string; readonly secret: string }

/** A running server: its URL, and a way to create a new account with a card and a key. */
export type GoldenServer = {
  /** Such as `http://127.0.0.1:8545`. */
  readonly url: string
  newAccount(): Account | Promise<Account>
}

type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hex'; readonly hex: string }
  | { readonly kind: 'repeat'; readonly byte: number; readonly size: number }
type Part = {
  readonly name: string
  readonly filename: string
  readonly contentType: string | null
  readonly content: Content
}
type GoldenRequest = {
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly headers?: Readonly<Record<string, string>>
  readonly auth?: 'none' | 'bad'
  readonly multipart?: readonly Part[]
}
type Kind = 'PLAIN' | 'JSONERR' | 'JSON' | 'NDJSON' | 'STREAM' | 'EMPTY'
type Expectation = {
  readonly status: number
  readonly kind: Kind
  readonly body?: string
  readonly bodyPrefix?: string
  readonly message?: string
  readonly messagePrefix?: string
  readonly messageContains?: string
  readonly code?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly absentHeaders?: readonly string[]
}
export type GoldenCase = {
  readonly id: string
  readonly request: GoldenRequest
  readonly setup?: readonly GoldenRequest[]
  readonly expect: Expectation
  readonly expectCairn?: Expectation
}
export type Golden = {
  readonly setup: readonly GoldenRequest[]
  readonly cases: readonly GoldenCase[]
}

/** Cases derived from Kubo's source that differ from Kubo 0.43 or from a documented deviation of Cairn. */
const corrected: ReadonlyMap<string, Expectation> = new Map([
  // A symbolic link is replaced by its target.
  ['K25', { status: 200, kind: 'STREAM', body: 'files/foo/baz' }],
  // Without sources the command does not wait.
  ['K34', { status: 500, kind: 'JSONERR', messageContains: 'ipld: could not find', code: 0 }],
  ['G29d', { status: 200, kind: 'JSON', body: '{"Peers":null}\n' }],
])

/** The cases with their variables filled in; null if the folder does not exist. */
export function readGolden(): Golden | null {
  const path = resolve(
    import.meta.dirname,
    '../..',
    process.env['CAIRN_VECTORS'] ?? '../shared/vectors',
    'files-golden.json',
  )
  if (!existsSync(path)) return null
  const text = readFileSync(path, 'utf8')
  const { vars } = JSON.parse(text) as { vars: Record<string, string> }
  return JSON.parse(
    text.replaceAll(/\$([A-Z]+)/g, (whole, name: string) => vars[name] ?? whole),
  ) as Golden
}

/** Runs one case on a new account. Throws an AssertionError that names the difference. */
export async function replayCase(
  server: GoldenServer,
  golden: Golden,
  one: GoldenCase,
): Promise<void> {
  const account = await server.newAccount()
  const expected = corrected.get(one.id) ?? one.expectCairn ?? one.expect
  const setup = [...golden.setup, ...(one.setup ?? [])]
  for (const request of setup) {
    const response = await send(server.url, account, request)
    assert.equal(response.status, 200, `setup ${request.path}: ${await response.text()}`)
    await response.arrayBuffer().catch(() => {})
  }
  await check(await send(server.url, account, one.request), expected)
}

async function send(url: string, account: Account, request: GoldenRequest): Promise<Response> {
  const query = request.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
  const headers = new Headers(request.headers ?? {})
  if (request.auth !== 'none') {
    const secret = request.auth === 'bad' ? 'wrong' : account.secret
    const pair = Buffer.from(`${account.key}:${secret}`).toString('base64')
    headers.set('Authorization', `Basic ${pair}`)
  }
  const { multipart } = request
  const body = multipart === undefined ? null : bodyOf(multipart)
  if (body !== null) headers.set('Content-Type', `multipart/form-data; boundary=${boundary}`)
  const target = `${url}${request.path}${query === '' ? '' : `?${query}`}`
  return await fetch(target, { method: request.method, headers, body })
}

const boundary = '-----------------------------golden'

function bodyOf(parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ name, filename, contentType, content }) => [
    Buffer.from(`--${boundary}\r\n`),
    Buffer.from(`Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\n`),
    Buffer.from(contentType === null ? '\r\n' : `Content-Type: ${contentType}\r\n\r\n`),
    contentBytes(content),
    Buffer.from('\r\n'),
  ])
  return new Uint8Array(Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]))
}

function contentBytes(content: Content): Buffer {
  switch (content.kind) {
    case 'text':
      return Buffer.from(content.text)
    case 'hex':
      return Buffer.from(content.hex, 'hex')
    case 'repeat':
      return Buffer.alloc(content.size, content.byte)
  }
}

async function check(response: Response, expected: Expectation): Promise<void> {
  const body = await response.text()
  assert.equal(response.status, expected.status, body)
  checkKind(response, expected.kind, body)
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    assert.equal(response.headers.get(name), value, name)
  }
  for (const name of expected.absentHeaders ?? []) assert.equal(response.headers.get(name), null)
  if (expected.body !== undefined) {
    assert.equal(body, expected.body + (expected.kind === 'PLAIN' ? '\n' : ''))
  }
  if (expected.bodyPrefix !== undefined) assert.ok(body.startsWith(expected.bodyPrefix), body)
  if (expected.kind === 'JSONERR') checkError(body, expected)
}

function checkKind({ headers }: Response, kind: Kind, body: string): void {
  const type = headers.get('content-type')
  switch (kind) {
    case 'PLAIN':
      assert.equal(type, 'text/plain; charset=utf-8')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      break
    case 'JSONERR':
      assert.equal(type, 'application/json')
      break
    case 'JSON':
      assert.equal(type, 'application/json')
      assert.equal(headers.get('x-chunked-output'), null)
      assert.equal(headers.get('x-stream-output'), null)
      break
    case 'NDJSON':
      assert.equal(type, 'application/json')
      assert.equal(headers.get('x-chunked-output'), '1')
      break
    case 'STREAM':
      assert.equal(type, 'text/plain')
      assert.equal(headers.get('x-stream-output'), '1')
      break
    case 'EMPTY':
      assert.equal(body, '')
  }
}

function checkError(body: string, expected: Expectation): void {
  const error = JSON.parse(body) as { Message: string; Code: number }
  // Rebuilt with a fixed member order and compared as text, because clients parse these bodies as text.
  const rebuilt = { Message: error.Message, Code: error.Code, Type: 'error' }
  assert.deepEqual(JSON.parse(body), rebuilt)
  assert.deepEqual(Object.keys(JSON.parse(body) as object), Object.keys(rebuilt))
  assert.ok(body.endsWith('}\n') && !body.slice(0, -1).includes('\n'))
  const { code, message, messagePrefix, messageContains } = expected
  if (code !== undefined) assert.equal(error.Code, code, error.Message)
  if (message !== undefined) assert.equal(error.Message, message)
  if (messagePrefix !== undefined) assert.ok(error.Message.startsWith(messagePrefix), error.Message)
  if (messageContains !== undefined)
    assert.ok(error.Message.includes(messageContains), error.Message)
}
