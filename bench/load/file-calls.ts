// `add` and `cat` of large files; compares every returned byte. The client uses little processor time, because it shares the
// machine with the server.
import { request } from 'node:http'
import { connect } from 'node:net'
import type { Started } from '../../test/started-server.ts'
import type { FileBytes } from '../data/file-bytes.ts'
import { ChunkedBody } from './chunked-body.ts'

/** As long as curl's boundary, because its length affects the search time. */
const boundary = '------------------------Jq5TnWk0cR8vXe2LhYp4Zs'
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`
const tail = `\r\n--${boundary}--\r\n`

/** Returns the CID. */
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

/** Maximum bytes per read of the socket. */
const readBytes = 256 * 1024

/**
 * Throws if the content is not exactly `file`. Reads into one buffer, because node:http would use more processor time than the
 * server.
 */
export function catFile(cairn: Started, cid: string, file: FileBytes): Promise<void> {
  return new Promise((resolve, reject) => {
    let got = 0
    const body = new ChunkedBody((bytes) => {
      if (body.status !== 200) throw new Error(`cat: ${body.status} ${bytes.toString()}`)
      for (let at = 0; at < bytes.length;) {
        const expected = file.slice(got, bytes.length - at)
        const same = expected.length > 0 && expected.compare(bytes, at, at + expected.length) === 0
        if (!same) throw new Error(`cat: other bytes at ${got}`)
        at += expected.length
        got += expected.length
      }
    })
    const { hostname, port, host } = new URL(cairn.url)
    const buffer = Buffer.allocUnsafeSlow(readBytes)
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer,
        callback(bytes) {
          try {
            body.push(buffer.subarray(0, bytes))
            if (body.ended) socket.end()
          } catch (error) {
            socket.destroy(error as Error)
          }
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.on('close', () => {
      if (body.ended && got === file.bytes) resolve()
      else reject(new Error(`cat: ${body.status}, ${got} bytes of ${file.bytes}`))
    })
    socket.write(
      `POST /api/v0/cat?arg=${cid} HTTP/1.1\r\nhost: ${host}\r\n` +
        `authorization: ${authorization(cairn).authorization}\r\ncontent-length: 0\r\n\r\n`,
    )
  })
}

function authorization({ apiKey, apiKeySecret }: Started): { readonly authorization: string } {
  return { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
}
