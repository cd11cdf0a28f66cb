// One large file in through `add` and out through `cat`: rates beside sha256 and beside the disk, and what the
// server's memory grew by. The source is a file that is read in slices, so it is in nobody's measured memory.
import { createHash, randomFillSync } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { cpuUs, peakRssMiB, rssMiB } from '../processes.ts'
import { startCairn, type Started } from '../../test/started-server.ts'

const mib = 1024 * 1024
const sliceBytes = 4 * mib
const head = '--edge\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
const tail = '\r\n--edge--\r\n'

type Source = { readonly path: string; readonly bytes: number }

export async function runFiles(bench: Bench): Promise<void> {
  const { report } = bench
  const bytes = bench.calls(1024) * mib
  report.section(`Files: ${bytes / mib} MiB in and out`)
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-files-'))
  const cairn = await startCairn()
  try {
    const diskMs = await writeSource(join(folder, 'floor'), bytes)
    const source = { path: join(folder, 'source'), bytes }
    await writeSource(source.path, bytes)
    const sha = await hashSource(source)
    const shaRate = rate(bytes, sha.ms)
    report.figure('sha256 of 256 KiB pieces', shaRate, ' MB/s')
    report.figure('disk: buffered write, fdatasync', rate(bytes, diskMs), ' MB/s')

    const pid = cairn.child.pid ?? 0
    const before = rssMiB(pid)
    const cpuBefore = cpuUs(pid)
    const added = await timed(() => add(cairn, source))
    const cpuAdded = cpuUs(pid)
    const fetched = await timed(() => cat(cairn, added.value))
    if (fetched.value !== sha.digest) throw new Error('cat gave other bytes than add took')
    show('add, durable before the reply', added.ms, cpuAdded - cpuBefore, 0.4)
    show('cat, every block verified before it is sent', fetched.ms, cpuUs(pid) - cpuAdded, 0.7)
    report.figure('memory grown by add and cat, at its peak', peakRssMiB(pid) - before, ' MiB', {
      atMost: 128,
    })

    function show(name: string, ms: number, cpu: number, goal: number): void {
      report.figure(name, rate(bytes, ms), ' MB/s')
      report.figure(`${name}: server CPU per GiB`, (cpu / 1e6 / bytes) * 1024 * mib, ' s')
      report.figure(`${name} / sha256`, rate(bytes, ms) / shaRate, '', { atLeast: goal })
    }
  } finally {
    await cairn.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Random bytes, so that no two blocks are the same; gives the time that writing and syncing took. */
async function writeSource(path: string, bytes: number): Promise<number> {
  const file = await open(path, 'w')
  const slice = Buffer.allocUnsafe(sliceBytes)
  let ms = 0
  try {
    for (let at = 0; at < bytes; at += sliceBytes) {
      randomFillSync(slice)
      ms += (await timed(() => file.write(slice, 0, Math.min(sliceBytes, bytes - at)))).ms
    }
    ms += (await timed(() => file.datasync())).ms
  } finally {
    await file.close()
  }
  return ms
}

/** The digest, and the time that hashing alone took. */
async function hashSource({ path }: Source): Promise<{ digest: string; ms: number }> {
  const digest = createHash('sha256')
  let ms = 0
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const begun = performance.now()
    digest.update(piece as Buffer)
    ms += performance.now() - begun
  }
  return { digest: digest.digest('hex'), ms }
}

function authorize({ apiKey, apiKeySecret }: Started): Record<string, string> {
  return { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
}

/** Gives the CID. */
function add(cairn: Started, { path, bytes }: Source): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${cairn.url}/api/v0/add`, {
      method: 'POST',
      headers: {
        ...authorize(cairn),
        'content-type': 'multipart/form-data; boundary=edge',
        'content-length': head.length + bytes + tail.length,
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
    createReadStream(path, { highWaterMark: mib })
      .on('error', reject)
      .on('end', () => sent.end(tail))
      .pipe(sent, { end: false })
  })
}

/** Gives the SHA-256 of what came. */
function cat(cairn: Started, cid: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: authorize(cairn) }
    const sent = request(`${cairn.url}/api/v0/cat?arg=${cid}`, options, (response) => {
      const digest = createHash('sha256')
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => digest.update(chunk))
      response.on('end', () => resolve(digest.digest('hex')))
    })
    sent.on('error', reject)
    sent.end()
  })
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const begun = performance.now()
  const value = await work()
  return { value, ms: performance.now() - begun }
}

function rate(bytes: number, ms: number): number {
  return bytes / 1e6 / (ms / 1000)
}
