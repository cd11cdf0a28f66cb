// `add` and `cat` of large files as a client makes them, with every byte that comes back compared. The client costs
// as little as it can: it shares the machine with the server.
import { request } from 'node:http'
import type { Started } from '../../test/started-server.ts'
import type { FileBytes } from '../data/file-bytes.ts'

/** As long as that of curl: how fast a boundary is looked for depends on its length. */
const boundary = '------------------------Jq5TnWk0cR8vXe2LhYp4Zs'
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`
const tail = `\r\n--${boundary}--\r\n`

/** Gives the CID. */
export function addFile(cairn: Started, file: FileBytes): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${cairn.url}/api/v0/add`, {
      method: 'POST',
      headers: {
        ...authorization(cairn),
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': head.length + file.bytes + tail.length,
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => {
        if (response.statusCode === 200) resolve((JSON.parse(text) as { Hash: string }).Hash)
        else reject(new Error(`add: ${response.statusCode} ${text}`))
      })
    })
    sent.write(head)
    let at = 0
    const pump = (): void => {
      let room = true
      while (room && at < file.bytes) {
        const slice = file.slice(at, file.bytes)
        at += slice.length
        room = sent.write(slice)
      }
      if (at < file.bytes) sent.once('drain', pump)
      else sent.end(tail)
    }
    pump()
  })
}

/** Throws when what comes is not `file`, whole. */
export function catFile(cairn: Started, cid: string, file: FileBytes): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: authorization(cairn) }
    const sent = request(`${cairn.url}/api/v0/cat?arg=${cid}`, options, (response) => {
      let got = 0
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        for (let at = 0; at < chunk.length;) {
          const expected = file.slice(got, chunk.length - at)
          const given = chunk.subarray(at, at + expected.length)
          if (expected.length === 0 || !given.equals(expected)) {
            response.destroy(new Error(`cat: other bytes at ${got}`))
            return
          }
          at += expected.length
          got += expected.length
        }
      })
      response.on('end', () => {
        if (got === file.bytes) resolve()
        else reject(new Error(`cat: ${got} bytes of ${file.bytes}`))
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

function authorization({ apiKey, apiKeySecret }: Started): Record<string, string> {
  return { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
}
