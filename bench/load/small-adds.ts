// Adds of small files.
import { type Agent, request } from 'node:http'
import type { Started } from '../../test/started-server.ts'

export type FilesServer = Pick<Started, 'url' | 'apiKey' | 'apiKeySecret'>

const boundary = 'edge'

/** `parts`: each created by `filePart`. */
export function addParts(
  { url, apiKey, apiKeySecret }: FilesServer,
  agent: Agent,
  query: string,
  parts: readonly Buffer[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v0/add?${query}`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      response.resume()
      response.on('end', () => {
        if (response.statusCode === 200) resolve()
        else reject(new Error(`add: ${response.statusCode}`))
      })
    })
    sent.end(Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]))
  })
}

export function filePart(name: string, content: Buffer): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
}
