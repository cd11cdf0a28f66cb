// Uploads that cost a server far more than they cost to send: a block per byte, nodes of two links, parts without content. Each is
// a query and a multipart body of `add`.

/** `isRefused`: it would create more blocks than its bytes allow. */
export type GreedyUpload = {
  readonly name: string
  readonly query: string
  readonly body: Uint8Array
  readonly isRefused: boolean
}

export const greedyBoundary = 'edge'

const bytesOf = (length: number) =>
  Uint8Array.from({ length }, (_, at) => (at * 2_654_435_761) >>> 24)

/** A part of `multipart/form-data` that contains a file. */
export function partOf(name: string, content: Uint8Array): Buffer {
  const head = `--${greedyBoundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
}

export function bodyOf(parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([...parts, Buffer.from(`--${greedyBoundary}--\r\n`)])
}

export const greedyUploads: readonly GreedyUpload[] = [
  {
    name: 'a block for each byte of 256 KiB',
    query: 'chunker=size-1&pin=false',
    body: bodyOf([partOf('f', bytesOf(256 * 1024))]),
    isRefused: true,
  },
  {
    name: 'nodes of two links over 1 MiB',
    query: 'chunker=size-64&max-file-links=2&pin=false',
    body: bodyOf([partOf('f', bytesOf(1024 * 1024))]),
    isRefused: false,
  },
  {
    name: '50,000 parts without content',
    query: 'wrap-with-directory=true&pin=false',
    body: bodyOf(Array.from({ length: 50_000 }, (_, at) => partOf(`${at}`, new Uint8Array(0)))),
    isRefused: false,
  },
]
