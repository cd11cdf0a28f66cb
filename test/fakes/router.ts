// A delegated router (Routing V1 over HTTP) on loopback.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type Answer = {
  readonly status?: number
  /** Lines of an NDJSON body. */
  readonly lines?: readonly string[]
  readonly body?: Uint8Array
  /** No reply. */
  readonly hang?: boolean
  /** The connection closes in the middle of the body. */
  readonly cut?: boolean
  /** Repeats this text without end. */
  readonly endless?: string
}

export type Router = {
  readonly url: string
  /** `<method> <path without query> <body>`. */
  readonly requests: string[]
  /** Replies by prefix of the path; other paths get the first. */
  readonly answers: Map<string, Answer>
}

export async function startRouter(
  t: Pick<TestContext, 'after'>,
  answer: Answer = { status: 404 },
): Promise<Router> {
  const requests: string[] = []
  const answers = new Map<string, Answer>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = (request.url ?? '').split('?', 1)[0] ?? ''
      requests.push(`${request.method} ${path} ${Buffer.concat(chunks).toString()}`.trim())
      const named = [...answers].find(([start]) => path.startsWith(start))
      send(response, named?.[1] ?? answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, answers }
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer.hang === true) return
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/x-ndjson' })
  if (answer.cut === true) {
    response.write('{"Schema":')
    setTimeout(() => response.destroy(), 10)
    return
  }
  if (answer.endless !== undefined) {
    const more = (): void => {
      while (!response.destroyed && response.write(answer.endless));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
    return
  }
  response.end(answer.body ?? (answer.lines ?? []).map((line) => `${line}\n`).join(''))
}
