// Folders of many small files: adding them, the memory of the server, and the time of their CARs per file at two sizes, which must
// grow linearly. Compared with Kubo if CAIRN_BENCH_KUBO contains the path of its binary.
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { startCairn, type Started } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import { forgetPeak, peakRssMiB, rssMiB } from '../processes.ts'

/** The second is sharded in two levels: most shards contain both entries and shards. */
const sizes: readonly number[] = [10_000, 99_999]
/** After this time an idle server has checked its heap twice, and V8 has released its pages. */
const settledMs = 45_000

export async function runFolders(bench: Bench): Promise<void> {
  const { report } = bench
  report.section('Folders of many small files')
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-folders-'))
  const cairn = await startCairn()
  try {
    const exports: number[] = []
    const pid = cairn.child.pid ?? 0
    for (const size of sizes) {
      const files = bench.options.quick ? Math.floor(size / 10) : size
      const before = rssMiB(pid)
      forgetPeak(pid)
      const added = await timed(() => addFolder(cairn, files))
      report.figure(`${files} files: add, for each`, (added.ms / files) * 1000, ' us')
      report.figure(`${files} files: memory at its peak`, peakRssMiB(pid) - before, ' MiB', {
        atMost: 320,
      })
      const car = join(folder, `${files}.car`)
      const exported = await timed(() => exportFolder(cairn, added.result, car))
      exports.push(exported.ms / files)
      report.figure(`${files} files: dag/export, for each`, (exported.ms / files) * 1000, ' us')
      const kubo = process.env['CAIRN_BENCH_KUBO']
      if (kubo !== undefined) {
        const ms = await exportByKubo(kubo, join(folder, `kubo-${files}`), car, added.result)
        // A small folder completes before either server is warm.
        const goal = size === sizes.at(-1) ? { atLeast: 1 } : undefined
        report.figure(`${files} files: Kubo's dag export / Cairn`, ms / exported.ms, '', goal)
      }
    }
    const [few = 0, many = 0] = exports
    report.figure('dag/export for each file, many / few', many / few, '', { atMost: 2.5 })
    await wait(settledMs)
    report.figure('memory of the server afterwards', rssMiB(pid), ' MiB', { atMost: 350 })
  } finally {
    await cairn.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly ms: number; readonly result: T }> {
  const begun = performance.now()
  const result = await work()
  return { ms: performance.now() - begun, result }
}

function headers({ apiKey, apiKeySecret }: Started): Record<string, string> {
  return { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
}

async function addFolder(cairn: Started, files: number): Promise<string> {
  const response = await fetch(`${cairn.url}/api/v0/add?quieter=true`, {
    method: 'POST',
    headers: { ...headers(cairn), 'content-type': 'multipart/form-data; boundary=edge' },
    body: ReadableStream.from(parts(files)),
    duplex: 'half',
  } as RequestInit)
  const last = (await response.text()).trim().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { Hash: string }).Hash
}

function* parts(files: number): Generator<Uint8Array> {
  let piece = ''
  for (let file = 0; file < files; file += 1) {
    piece += `--edge\r\nContent-Disposition: form-data; name="file"; filename="folder/file-${file}.txt"\r\n\r\nfile ${file} of ${files}\r\n`
    if (piece.length < 65_536) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(`${piece}--edge--\r\n`)
}

async function exportFolder(cairn: Started, cid: string, path: string): Promise<void> {
  const init = { method: 'POST', headers: headers(cairn) }
  const response = await fetch(`${cairn.url}/api/v0/dag/export?arg=${cid}`, init)
  if (response.body === null) throw new Error(`no CAR of ${cid}: ${response.status}`)
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(path))
}

/** Duration of Kubo's own export of the same DAG, from its own store. */
async function exportByKubo(
  program: string,
  home: string,
  car: string,
  cid: string,
): Promise<number> {
  const env = { ...process.env, IPFS_PATH: home }
  const run = (...args: string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = spawn(program, ['--offline', ...args], { env, stdio: 'ignore' })
      child.once('error', reject)
      child.once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`ipfs ${args.join(' ')} ended with ${code}`)),
      )
    })
  await run('init', '--profile=test')
  await run('dag', 'import', car)
  return (await timed(() => run('dag', 'export', cid))).ms
}
