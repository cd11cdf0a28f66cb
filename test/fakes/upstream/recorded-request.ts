// Requests at /api/v0 as recorded by `npm run record`; sends them to Kubo and to Cairn and compares the replies.

export type FilesRequest = {
  /** Below /api/v0/. */
  readonly command: string
  readonly params: readonly (readonly [string, string])[]
  /** `repeat`: a byte and its number of repetitions. */
  readonly parts?: readonly {
    readonly filename: string
    readonly type: 'file' | 'directory' | 'symlink'
    readonly text?: string
    readonly repeat?: readonly [byte: number, size: number]
  }[]
}

/** `bytes`: base64, for a body that is not text. */
export type FilesReply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly bytes?: string
}

export type RecordedReply = {
  readonly name: string
  readonly request: FilesRequest
  readonly reply: FilesReply
}

export type RecordedReplies = {
  /** Version of the recorded Kubo. */
  readonly kubo: string
  readonly replies: readonly RecordedReply[]
}

/** Headers that clients read; others of Kubo identify the server or the connection. */
const compared = [
  'content-type',
  'x-chunked-output',
  'x-stream-output',
  'x-content-length',
  'x-content-type-options',
]
const boundary = '----------------------------recorded'
const mediaTypes = {
  file: 'application/octet-stream',
  directory: 'application/x-directory',
  symlink: 'application/symlink',
}

/** `url`: such as `http://127.0.0.1:5001`. */
export async function sendFilesRequest(
  url: string,
  { command, params, parts }: FilesRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<FilesReply> {
  const query = params
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
  const response = await fetch(`${url}/api/v0/${command}${query === '' ? '' : `?${query}`}`, {
    method: 'POST',
    headers: {
      ...headers,
      ...(parts === undefined
        ? {}
        : { 'content-type': `multipart/form-data; boundary=${boundary}` }),
    },
    body: parts === undefined ? null : bodyOf(parts),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString('utf8')
  return {
    status: response.status,
    headers: Object.fromEntries(
      compared.flatMap((name) => {
        const value = response.headers.get(name)
        return value === null ? [] : [[name, value]]
      }),
    ),
    ...(Buffer.from(text).equals(bytes) ? { body: text } : { bytes: bytes.toString('base64') }),
  }
}

function bodyOf(parts: FilesRequest['parts'] & {}): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ filename, type, text = '', repeat }) => [
    Buffer.from(`--${boundary}\r\n`),
    Buffer.from(`Content-Disposition: form-data; name="file"; filename="${filename}"\r\n`),
    Buffer.from(`Content-Type: ${mediaTypes[type]}\r\n\r\n`),
    repeat === undefined ? Buffer.from(text) : Buffer.alloc(repeat[1], repeat[0]),
    Buffer.from('\r\n'),
  ])
  return new Uint8Array(Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]))
}
