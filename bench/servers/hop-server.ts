// The process of the bare hop: node:http forwards calls with undici and returns the replies, without parsing either. Argument: port
// of the upstream. Prints its own port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

const pool = new Pool(`http://127.0.0.1:${process.argv[2]}`, { connections: 64, pipelining: 1 })
const headers = ['content-type', 'application/json']

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const reply: Buffer[] = []
    pool.dispatch(
      { path: '/', method: 'POST', headers, body: Buffer.concat(parts) },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(_controller, chunk) {
          reply.push(chunk)
        },
        onResponseEnd() {
          const body = Buffer.concat(reply)
          response.writeHead(200, {
            'content-type': 'application/json',
            'content-length': body.length,
          })
          response.end(body)
        },
        onResponseError() {
          response.destroy()
        },
      },
    )
  })
})
server.keepAliveTimeout = 75_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
