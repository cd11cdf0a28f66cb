// Streams CAR files to `dag/import`, several in parallel. Skips files whose roots are pinned, honours Retry-After, and continues
// after a failed file.
// Tested by test/cli/import-car.test.ts
import { createReadStream } from 'node:fs'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { describeErrno } from '../../base/describe-errno.ts'
import { carLimits, openCar } from '../../codec/ipld/car-reader.ts'
import { type HttpClient, HttpTrouble } from '../../ipfs/sources/http-client.ts'
import { replyLines } from '../move/reply-lines.ts'
import { sendUpload } from '../move/send-upload.ts'
import { silenceMs } from '../with-server.ts'
import { bodyOf } from './api-reply.ts'
import { tryUntilDone } from './try-until-done.ts'

export type CarFile = { readonly path: string; readonly bytes: number }

export type ImportedCars = {
  /** Roots that this run pinned. */
  readonly roots: readonly string[]
  readonly imported: number
  /** Number of files whose roots were already pinned. */
  readonly present: number
  readonly failed: readonly { readonly path: string; readonly reason: string }[]
  /** Files that were not sent, or not completely. */
  readonly left: readonly string[]
  /** Why the import stopped early; null: it did not. */
  readonly ended: string | null
}

export async function importCars(
  files: readonly CarFile[],
  parts: {
    readonly client: HttpClient
    readonly atOnce: number
    readonly clock: Clock
    readonly progress: (bytes: number) => void
  },
  signal: AbortSignal,
): Promise<ImportedCars> {
  const { client, atOnce, clock, progress } = parts
  const pinned = await pinnedRoots(client, signal)
  const roots: string[] = []
  const failed: { path: string; reason: string }[] = []
  const done = new Set<CarFile>()
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const sent = new Map<CarFile, number>()
  let ended: string | null = null
  let [imported, present, next, doneBytes] = [0, 0, 0, 0]

  function show(): void {
    progress(doneBytes + [...sent.values()].reduce((sum, bytes) => sum + bytes, 0))
  }

  async function lane(): Promise<void> {
    for (let file = files[next++]; file !== undefined; file = files[next++]) {
      if (until.aborted) return
      try {
        await importFile(file)
      } catch (thrown) {
        if (until.aborted) return
        if (thrown instanceof HttpTrouble) {
          ended = `no reply from the server: ${thrown.message}`
          stop.abort(thrown)
          return
        }
        failed.push({ path: file.path, reason: describeErrno(thrown) })
      }
      done.add(file)
      sent.delete(file)
      doneBytes += file.bytes
      show()
    }
  }

  async function importFile(file: CarFile): Promise<void> {
    const wanted = await rootsOf(file.path)
    if (wanted.length > 0 && wanted.every((root) => pinned.has(root))) {
      present += 1
      return
    }
    roots.push(...(await tryUntilDone(() => send(file), { clock }, until)))
    imported += 1
  }

  /** Returns the pinned roots. Throws Refused, HttpTrouble, file system errors, or an Error for a root that was not pinned. */
  async function send(file: CarFile): Promise<string[]> {
    const { path, bytes } = file
    try {
      return await sendUpload(
        client,
        {
          path: '/api/v0/dag/import',
          items: [{ kind: 'file', name: 'file.car', path, bytes, stat: null }],
          preserveMode: false,
          preserveMtime: false,
          sent(count) {
            sent.set(file, count)
            show()
          },
        },
        pinnedBy,
        until,
      )
    } finally {
      sent.delete(file)
    }
  }

  await Promise.all(Array.from({ length: atOnce }, lane))
  if (signal.aborted) ended ??= 'interrupted'
  const left = files.filter((file) => !done.has(file)).map(({ path }) => path)
  return { roots, imported, present, failed, left, ended }
}

async function pinnedRoots(client: HttpClient, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const query = [
    ['type', 'recursive'],
    ['stream', 'true'],
  ] as const
  const request = { method: 'POST', path: '/api/v0/pin/ls', query, timeoutMs: silenceMs } as const
  const pinned = new Set<string>()
  for await (const { Cid: cid } of replyLines(await bodyOf(await client.open(request, signal)))) {
    if (typeof cid === 'string') pinned.add(cid)
  }
  return pinned
}

/** Reads the roots of the file's header. Throws an Error without a valid header, and file system errors. */
async function rootsOf(path: string): Promise<readonly string[]> {
  const file = createReadStream(path)
  try {
    const { roots } = await openCar(file, carLimits)
    return roots.map(String)
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    throw new Error(`not a CAR file (${thrown.message})`, { cause: thrown })
  } finally {
    file.destroy()
  }
}

async function pinnedBy(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const roots: string[] = []
  const wrong: string[] = []
  for await (const { Root: root } of replyLines(body)) {
    const { Cid: link, PinErrorMsg: reason } = (root ?? {}) as {
      readonly Cid?: { readonly '/'?: unknown }
      readonly PinErrorMsg?: unknown
    }
    const cid = link?.['/']
    if (typeof cid !== 'string') continue
    if (typeof reason === 'string' && reason !== '') wrong.push(`${cid}: ${reason}`)
    else roots.push(cid)
  }
  if (wrong.length > 0) throw new Error(`not pinned: ${wrong.join(', ')}`)
  return roots
}
