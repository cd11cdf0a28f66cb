// Prints which files of src/ a request executes on the main thread, for four typical requests: a map for readers of the code, and
// the figures of docs/explanation/decisions/0066. A file counts only if each of five such requests executes it, so background work
// and start-up work do not count.
//   node bench/journeys.ts          numbers
//   node bench/journeys.ts list     and the files
import { Session } from 'node:inspector/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../src/config/config.ts'
import { startServer } from '../src/server/app.ts'
import { startCairn } from '../test/started-server.ts'

const source = new URL('../src/', import.meta.url).href
const json = { 'content-type': 'application/json' }

/** `yaml`: content of the settings file; null: none. */
async function start(folder: string, yaml: string | null) {
  const file = yaml === null ? null : `${folder}.yaml`
  if (file !== null) await writeFile(file, yaml ?? '')
  const env = { CAIRN_DATA_DIR: folder, CAIRN_HTTP_PORT: '0' }
  const { config } = await loadConfig({ env, file, flags: {}, networks: [] })
  const server = await startServer(config, { print: () => {} })
  if (server.firstKey === null) throw new Error('the server made no key')
  return { ...server, ...server.firstKey }
}

function account(number: number): string {
  return `0x${number.toString(16).padStart(40, '7')}`
}

async function call(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  method: string,
  ...params: readonly unknown[]
): Promise<void> {
  const response = await fetch(`${url}/v3/${apiKey}`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result } = (await response.json()) as { readonly result?: unknown }
  if (result === undefined) throw new Error(`${method} failed`)
}

async function filesOf(session: Session, request: () => Promise<void>): Promise<readonly string[]> {
  const rounds: ReadonlySet<string>[] = []
  await request()
  for (let round = 0; round < 5; round++) rounds.push(new Set(await filesOfOne(session, request)))
  const [first = new Set<string>(), ...others] = rounds
  return [...first].filter((file) => others.every((round) => round.has(file))).toSorted()
}

async function filesOfOne(
  session: Session,
  request: () => Promise<void>,
): Promise<readonly string[]> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await request()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  return result
    .filter(({ url, functions }) => {
      const ran = functions.some(
        ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
      )
      return url.startsWith(source) && ran
    })
    .map(({ url }) => url.slice(source.length))
}

const folder = await mkdtemp(join(tmpdir(), 'cairn-journeys-'))
const server = await start(join(folder, 'embedded'), null)
// The upstream runs in a separate process, so that its files do not count.
const node = await startCairn()
const upstream = `${node.url}/v3/${node.apiKey}`
// Each of its blocks has a different state, so that each read below needs a proof.
const blocks = 8
for (let block = 1; block <= blocks; block++) {
  await call(node, 'hardhat_setBalance', account(block), '0x1')
}
const behind = await start(
  join(folder, 'behind'),
  JSON.stringify({
    networks: [{ name: 'dev', chainId: 1337, upstreams: [{ url: upstream, trusted: true }] }],
  }),
)
const welcome = await fetch(`${server.url}/api/v1/welcome`, {
  method: 'POST',
  headers: { ...json, origin: server.url, 'x-cairn-admin': '1' },
  body: JSON.stringify({
    link: new URL(server.firstRun?.link ?? '').hash.slice(1),
    email: 'first@example.com',
    name: 'First',
    password: 'correct horse battery staple',
  }),
})
const cookie = welcome.headers.get('set-cookie')?.split(';')[0] ?? ''
const basic = `Basic ${btoa(`${server.apiKey}:${server.apiKeySecret}`)}`
// Each request uses another account or block, so no answer comes from a cache.
let made = 0
let block = 0

const session = new Session()
session.connect()
await session.post('Profiler.enable')
const journeys: Readonly<Record<string, () => Promise<void>>> = {
  'eth_getStorageAt, embedded chain': () =>
    call(server, 'eth_getStorageAt', account(++made), '0x0', 'latest'),
  'eth_getStorageAt, proved through an upstream': () =>
    call(behind, 'eth_getStorageAt', account(0), '0x0', `0x${(++block).toString(16)}`),
  'add, a small file': async () => {
    const form = new FormData()
    form.set('file', new Blob([account(++made)]), 'a.txt')
    const headers = { authorization: basic }
    const response = await fetch(`${server.url}/api/v0/add`, {
      method: 'POST',
      headers,
      body: form,
    })
    if (response.status !== 200) throw new Error(`add: status ${response.status}`)
    await response.text()
  },
  'GET /api/v1/accounts': async () => {
    const response = await fetch(`${server.url}/api/v1/accounts`, { headers: { cookie } })
    if (response.status !== 200) throw new Error(`GET /accounts: status ${response.status}`)
    await response.text()
  },
}
for (const [name, request] of Object.entries(journeys)) {
  const files = await filesOf(session, request)
  const listed = process.argv[2] === 'list' ? files.map((file) => `\n  ${file}`).join('') : ''
  process.stdout.write(`${String(files.length).padStart(3)}  ${name}${listed}\n`)
}
session.disconnect()
await behind.stop()
await node.stop()
await server.stop()
await rm(folder, { recursive: true, force: true })
// Keep-alive connections of fetch would keep the process alive.
process.exit(0)
