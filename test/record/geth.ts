// A real geth for recordings: a new data folder, one genesis, no peers, all state retained; blocks are built through the engine
// API.
import { execFileSync, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Geth = {
  readonly url: string
  /** As `geth version` prints it. */
  readonly version: string
  /** Sends one body and resolves with the text of the reply. */
  send(body: string): Promise<string>
  /** Returns the result of one call. Throws on an error. */
  call(method: string, params?: readonly unknown[]): Promise<unknown>
  /** As `call`, on the engine API. */
  engine(method: string, params: readonly unknown[]): Promise<unknown>
  stop(): Promise<void>
}

/** `genesis`: text of the genesis file. Throws if geth does not respond within 30 s. */
export async function startGeth(program: string, genesis: string): Promise<Geth> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-geth-'))
  const secret = Buffer.alloc(32, 7)
  writeFileSync(join(folder, 'genesis.json'), genesis)
  writeFileSync(join(folder, 'secret'), secret.toString('hex'))
  const data = ['--datadir', join(folder, 'data'), '--state.scheme', 'hash']
  execFileSync(program, [...data, 'init', join(folder, 'genesis.json')], { stdio: 'ignore' })
  const [port, enginePort] = [await freePort(), await freePort()]
  const child = spawn(
    program,
    [
      ...data,
      '--gcmode',
      'archive',
      '--syncmode',
      'full',
      '--nodiscover',
      '--maxpeers',
      '0',
      '--ipcdisable',
      '--port',
      '0',
      '--http',
      '--http.port',
      `${port}`,
      '--http.api',
      'eth,net,debug,txpool',
      '--authrpc.port',
      `${enginePort}`,
      '--authrpc.jwtsecret',
      join(folder, 'secret'),
      '--miner.extradata',
      'cairn',
      '--miner.gasprice',
      '1',
      '--txpool.pricelimit',
      '1',
      '--verbosity',
      '2',
    ],
    { stdio: 'ignore' },
  )
  const send = async (to: number, body: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${jwt(secret)}` }
    const init = { method: 'POST', headers, body }
    return await (await fetch(`http://127.0.0.1:${to}`, init)).text()
  }
  const call = async (to: number, method: string, params: readonly unknown[]) => {
    const text = await send(to, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const reply = JSON.parse(text) as { result?: unknown; error?: unknown }
    if (reply.error !== undefined) throw new Error(`${method}: ${JSON.stringify(reply.error)}`)
    return reply.result
  }
  let attempts = 0
  while (!(await call(enginePort, 'eth_chainId', []).catch(() => false))) {
    attempts += 1
    if (attempts === 150) throw new Error('geth does not answer')
    await sleep(200)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    version:
      /^Version: (\S+)/m.exec(execFileSync(program, ['version'], { encoding: 'utf8' }))?.[1] ?? '',
    send: (body) => send(port, body),
    call: (method, params = []) => call(port, method, params),
    engine: (method, params) => call(enginePort, method, params),
    async stop() {
      child.kill()
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

function jwt(secret: Uint8Array): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iat: Math.floor(Date.now() / 1000) })}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
