// Small files that are added while nobody else does anything, and while a collection runs: what is kept from whom.
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '../../src/db/sqlite.ts'
import { askCollection, findAnswer } from '../../src/ipfs/collection/collection-requests.ts'
import { startCairn, type Started } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'

const perSecond = 100
/** Until the server has collected what the import left, and runs the code it will run. */
const warmUpMs = 5000
/** About as long as the collection takes beside the adds, so that both p99 are of as many. */
const idleMs = 15_000
/** How long blocks without a pin are kept here. */
const unpinnedMs = 1000

export async function runCollection({ report, calls }: Bench): Promise<void> {
  const blocks = calls(90_000)
  report.section(`Adds during a collection of ${blocks} blocks`)
  const cairn = await startCairn({
    env: { CAIRN_FILES_UNPINNED_MS: String(unpinnedMs), CAIRN_FILES_GC_INTERVAL_MS: '0' },
  })
  const database = openDatabase(join(cairn.dataDir, 'cairn.db'))
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  try {
    await add(cairn, agent, 'pin=false&wrap-with-directory=true', manyFiles(blocks))
    await wait(2 * unpinnedMs)
    await addAtRate(cairn, agent, () => false, warmUpMs)
    const idle = await addAtRate(cairn, agent, () => false, idleMs)
    const asked = askCollection(database, Date.now())
    const during = await addAtRate(cairn, agent, () => findAnswer(database, asked) === null, 1000)
    const swept = findAnswer(database, asked)?.swept?.blocks ?? 0
    report.figure('blocks forgotten', swept, '', { atLeast: blocks })
    report.figure('p99 of an add of 4 KiB, nothing else', p99(idle), ' ms')
    report.figure('p99 of an add of 4 KiB, during the collection', p99(during), ' ms')
    report.figure('p99 during / without', p99(during) / p99(idle), '', { atMost: 1.5 })
  } finally {
    agent.destroy()
    database.close()
    await cairn.stop()
  }
}

/** One add each 10 ms, whatever became of those before, for `leastMs` and as long as `going`. Milliseconds each took. */
async function addAtRate(
  cairn: Started,
  agent: Agent,
  going: () => boolean,
  leastMs: number,
): Promise<readonly number[]> {
  const took: number[] = []
  const all: Promise<void>[] = []
  const begun = performance.now()
  for (let sent = 0; performance.now() - begun < leastMs || going(); sent++) {
    const due = begun + (sent * 1000) / perSecond
    await wait(Math.max(0, due - performance.now()))
    const body = part('f', Buffer.alloc(4096, `${begun} ${sent} `))
    all.push(add(cairn, agent, '', [body]).then(() => void took.push(performance.now() - due)))
  }
  await Promise.all(all)
  return took
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
}

function manyFiles(count: number): Buffer[] {
  return Array.from({ length: count }, (_, at) => part(`f${at}`, Buffer.from(`file ${at}`)))
}

function part(name: string, content: Buffer): Buffer {
  const head = `--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
}

function add(
  { url, apiKey, apiKeySecret }: Started,
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
        'content-type': 'multipart/form-data; boundary=edge',
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
    sent.end(Buffer.concat([...parts, Buffer.from('--edge--\r\n')]))
  })
}
