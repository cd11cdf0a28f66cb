// Prints which files of src/ a request runs on the main thread, for four typical requests: a map for readers, and the figures
// of docs/explanation/decisions/0066. Each request was made once before, so what happens only at the start is not counted.
//   node bench/journeys.ts          numbers
//   node bench/journeys.ts list     and the files
import { Session } from 'node:inspector/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../src/config/config.ts'
import { startServer } from '../src/server/app.ts'

const source = new URL('../src/', import.meta.url).href
const json = { 'content-type': 'application/json' }

/** `yaml`: the settings file; null: none. */
async function start(folder: string, yaml: string | null) {
  const file = yaml === null ? null : `${folder}.yaml`
  if (file !== null) await writeFile(file, yaml ?? '')
  const env = { CAIRN_DATA_DIR: folder, CAIRN_HTTP_PORT: '0' }
  const { config } = await loadConfig({ env, file, flags: {}, networks: [] })
  const server = await startServer(config, { print: () => {} })
  if (server.firstKey === null) throw new Error('the server made no key')
  return { ...server, ...server.firstKey }
}

async function call(server: { readonly url: string; readonly apiKey: string }, address: string) {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getStorageAt',
    params: [address, '0x0', 'latest'],
  }
  const response = await fetch(`${server.url}/v3/${server.apiKey}`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(body),
  })
  const { result } = (await response.json()) as { readonly result?: unknown }
  if (typeof result !== 'string') throw new Error('eth_getStorageAt failed')
}

/** Files with a function that ran between two requests of the same kind. */
async function filesOf(session: Session, request: () => Promise<void>): Promise<readonly string[]> {
  await request()
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
    .toSorted()
}

const folder = await mkdtemp(join(tmpdir(), 'cairn-journeys-'))
const server = await start(join(folder, 'embedded'), null)
const upstream = `${server.url}/v3/${server.apiKey}`
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
// Another account each time: no answer comes from a cache.
let made = 0
const address = () => `0x${(++made).toString(16).padStart(40, '7')}`

const session = new Session()
session.connect()
await session.post('Profiler.enable')
const journeys: Readonly<Record<string, () => Promise<void>>> = {
  'eth_getStorageAt, embedded chain': () => call(server, address()),
  'eth_getStorageAt, proved through an upstream': () => call(behind, address()),
  'add, a small file': async () => {
    const form = new FormData()
    form.set('file', new Blob([address()]), 'a.txt')
    const headers = { authorization: basic }
    await (await fetch(`${server.url}/api/v0/add`, { method: 'POST', headers, body: form })).text()
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
await server.stop()
await rm(folder, { recursive: true, force: true })
process.exit(0)
