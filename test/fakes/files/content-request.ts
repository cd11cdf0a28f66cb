// Sends a request with any host name to a loopback port, as a browser would, without name resolution, and follows no redirect.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

export type ContentReply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** `url`: `http://<any host>:<port><path>`; `via`: the port, if it differs from that of the URL. */
export async function requestContent(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', via = null }: { readonly method?: string; readonly via?: number | null } = {},
): Promise<ContentReply> {
  const { host, port, pathname, search } = new URL(url)
  const sent = request({
    host: '127.0.0.1',
    port: via ?? Number(port),
    path: pathname + search,
    method,
    headers: { host, ...headers },
    agent: false,
  }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string | undefined>,
    text,
  }
}
