// `npm run bench`: starts Cairn as users do and prints what it costs, each figure as a ratio to a bare node:http
// server, or to sha256, in the same run. Every reply is checked; a JSON-RPC error counts as a failure.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { startCairn } from '../test/started-server.ts'

const calls = Number(process.env['CAIRN_BENCH_CALLS'] ?? 20_000)
const lanes = 32
const uploadBytes = Number(process.env['CAIRN_BENCH_BYTES'] ?? 256 * 1024 * 1024)
const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'

type Load = {
  readonly rps: number
  readonly cpuUs: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const startedAt = performance.now()
const cairn = await startCairn()
const startMs = performance.now() - startedAt
const pid = cairn.child.pid ?? 0
row('start to ready', `${startMs.toFixed(0)} ms`)
row('idle memory, fresh start', `${rssMiB(pid).toFixed(0)} MiB`)

const bare = spawn(process.execPath, ['-e', bareServer()], { stdio: ['ignore', 'pipe', 'inherit'] })
const bareUrl = String(((await once(bare.stdout, 'data')) as [Buffer])[0]).trim()

try {
  await ethereum()
  await files()
  row('memory after all', `${rssMiB(pid).toFixed(0)} MiB`)
} finally {
  bare.kill()
  await cairn.stop()
}

async function ethereum(): Promise<void> {
  const { accounts } = (await cairn.cli('accounts', 'dev')) as {
    accounts: { privateKey: string }[]
  }
  const { Wallet } = await import('ethers')
  const wallet = new Wallet(accounts[0]?.privateKey ?? '')
  const raw = await wallet.signTransaction({
    type: 2,
    chainId: 1337,
    nonce: 0,
    to: sample,
    value: 1n,
    gasLimit: 100_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 1n,
  })
  const sent = await cairn.rpc('eth_sendRawTransaction', [raw])
  const receipt = (await cairn.rpc('eth_getTransactionReceipt', [sent.result])) as {
    result: { blockHash: string }
  }
  const rpcUrl = `${cairn.url}/v3/${cairn.apiKey}`
  const storage = body('eth_getStorageAt', [sample, '0x0', 'latest'])
  const transaction = body('eth_getTransactionByBlockHashAndIndex', [
    receipt.result.blockHash,
    '0x0',
  ])

  const floor = await load(bareUrl, bare.pid ?? 0, storage, (text) => text.includes('"result"'))
  show('bare node:http, constant reply', floor, floor)
  show(
    'eth_getStorageAt (walked, verified)',
    await load(rpcUrl, pid, storage, (text) => text.includes('4d2"')),
    floor,
  )
  const hash = String(sent.result)
  show(
    'eth_getTransactionByBlockHashAndIndex',
    await load(rpcUrl, pid, transaction, (text) => text.includes(hash)),
    floor,
  )
}

async function files(): Promise<void> {
  const bytes = randomBytes(uploadBytes)
  const shaStart = performance.now()
  const digest = createHash('sha256')
  for (let at = 0; at < bytes.length; at += 262_144) digest.update(bytes.subarray(at, at + 262_144))
  digest.digest()
  const shaRate = rate(uploadBytes, performance.now() - shaStart)
  row('sha256, 256 KiB pieces', `${shaRate.toFixed(0)} MB/s`)

  const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
  const form = new FormData()
  form.append('file', new Blob([bytes]))
  const before = rssMiB(pid)
  const addStart = performance.now()
  const added = await fetch(`${cairn.url}/api/v0/add`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  })
  const { Hash } = (await added.json()) as { Hash: string }
  const addRate = rate(uploadBytes, performance.now() - addStart)
  row(
    `add ${uploadBytes / 2 ** 20} MiB, durable`,
    `${addRate.toFixed(0)} MB/s, ${(addRate / shaRate).toFixed(3)} x sha`,
  )

  const catStart = performance.now()
  const back = await fetch(`${cairn.url}/api/v0/cat?arg=${Hash}`, {
    method: 'POST',
    headers: { authorization },
  })
  const whole = Buffer.from(await back.arrayBuffer())
  const catRate = rate(uploadBytes, performance.now() - catStart)
  if (!whole.equals(bytes)) throw new Error('cat gave other bytes than add took')
  row(
    `cat ${uploadBytes / 2 ** 20} MiB, every block verified`,
    `${catRate.toFixed(0)} MB/s, ${(catRate / shaRate).toFixed(3)} x sha`,
  )
  row('memory growth over add and cat', `${(rssMiB(pid) - before).toFixed(0)} MiB`)
}

/** `calls` POSTs over `lanes` kept-alive connections; each reply must be 200 and pass `good`. */
async function load(
  url: string,
  server: number,
  payload: string,
  good: (text: string) => boolean,
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const run = async (count: number) => {
    const took: number[] = []
    let left = count
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        while (left-- > 0) {
          const start = performance.now()
          const text = await post(agent, url, payload)
          if (!good(text)) throw new Error(`wrong reply: ${text.slice(0, 200)}`)
          took.push(performance.now() - start)
        }
      }),
    )
    return took
  }
  await run(Math.ceil(calls / 4))
  const cpu = cpuMs(server)
  const start = performance.now()
  const took = (await run(calls)).sort((a, b) => a - b)
  const elapsed = performance.now() - start
  agent.destroy()
  return {
    rps: (calls / elapsed) * 1000,
    cpuUs: ((cpuMs(server) - cpu) / calls) * 1000,
    p50Ms: took[Math.floor(took.length * 0.5)] ?? 0,
    p99Ms: took[Math.floor(took.length * 0.99)] ?? 0,
  }
}

function post(agent: Agent, url: string, payload: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
    }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(text)),
      )
    })
    sent.on('error', reject)
    sent.end(payload)
  })
}

function show(name: string, measured: Load, floor: Load): void {
  const ratio = `${(measured.rps / floor.rps).toFixed(2)} x bare rps, bare CPU / its CPU ${(floor.cpuUs / measured.cpuUs).toFixed(2)}`
  row(
    name,
    `${measured.rps.toFixed(0)}/s, ${measured.cpuUs.toFixed(1)} CPU us, p50 ${measured.p50Ms.toFixed(2)} ms, p99 ${measured.p99Ms.toFixed(2)} ms; ${ratio}`,
  )
}

function row(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(42)} ${value}\n`)
}

function body(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

function rate(bytes: number, ms: number): number {
  return bytes / 1e6 / (ms / 1000)
}

/** Resident memory of a Linux process. */
function rssMiB(process: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

/** User and system time of a Linux process, at 100 ticks a second. */
function cpuMs(process: number): number {
  const fields = readFileSync(`/proc/${process}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function bareServer(): string {
  return `const s = require('node:http').createServer((q, r) => { q.resume(); q.on('end', () => {
    r.setHeader('content-type', 'application/json'); r.end('{"jsonrpc":"2.0","id":1,"result":"0x' + '0'.repeat(64) + '"}') }) })
    s.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + s.address().port + '/'))`
}
