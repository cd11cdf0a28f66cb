// Floor: a `node:http` server with a constant reply, in a separate process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export type Server = { readonly port: number; readonly pid: number; stop(): Promise<void> }

export const constantReply = `{"jsonrpc":"2.0","id":1,"result":"0x${'0'.repeat(64)}"}`

export async function startBare(): Promise<Server> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    port: Number(line.toString()),
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

const program = `
const reply = ${JSON.stringify(constantReply)}
const headers = { 'content-type': 'application/json', 'content-length': reply.length }
const server = require('node:http').createServer((request, response) => {
  request.resume()
  request.on('end', () => { response.writeHead(200, headers); response.end(reply) })
})
server.keepAliveTimeout = 75_000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`
