// `cairn get`: fetches a file or folder from the running server and unpacks it: completely or not at all, and only below the
// target.
// Tested by test/cli/add-get.test.ts
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../../base/clock.ts'
import type { HttpClient } from '../../ipfs/sources/http-client.ts'
import type { Context } from '../context.ts'
import { bodyOf } from '../import/api-reply.ts'
import { refusePresent, unpackTar } from '../move/unpack.ts'
import { createProgress } from '../progress.ts'
import { print, visible } from '../report.ts'
import { addServerOptions, type ServerOptions } from '../server-access.ts'
import { addSharedOptions } from '../shared-options.ts'
import { UsageError } from '../usage-error.ts'
import { silenceMs, withServer } from '../with-server.ts'

type Options = ServerOptions & {
  readonly output?: string
  readonly force?: true
  readonly timeout?: string
}

export function defineGet(command: Command, context: Context): void {
  addServerOptions(addSharedOptions(command))
    .argument('<path>', 'CID, or a path below it: <cid>/folder/file')
    .option('-o, --output <place>', 'target path (last name of the path, in this folder)')
    .option('--force', 'overwrite existing files; other files of a folder stay')
    .option('--timeout <duration>', 'maximum search time of the server, such as 30s')
    .addHelpText(
      'after',
      `
Examples:
  cairn get QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn -o hello.txt
  cairn get bafy…/images

Set the API key with CAIRN_KEY or --key, and its secret with CAIRN_SECRET. Cairn unpacks into a temporary folder and
moves the result to its target at the end. An interrupted download leaves no files.`,
    )
    .action((path: string, options: Options) => runGet(context, path, options))
}

async function runGet(context: Context, path: string, options: Options): Promise<void> {
  const name = path.replace(/\/+$/, '').replace(/^.*[/:]/s, '')
  const output = options.output ?? name
  if (output === '' || (options.output === undefined && /^\.{1,2}$/.test(name))) {
    throw new UsageError(`"${visible(path)}" has no file name: set the target with -o`)
  }
  const place = resolve(output.endsWith('/') ? join(output, name) : output)
  if (options.force !== true) await refusePresent(place)
  await withServer(context, options, 1, (client, signal) =>
    fetchTo(context, path, place, options, client, signal),
  )
}

async function fetchTo(
  context: Context,
  path: string,
  place: string,
  options: Options,
  client: HttpClient,
  signal: AbortSignal,
): Promise<void> {
  const query = [
    ['arg', path],
    ...(options.timeout === undefined ? [] : [['timeout', options.timeout] as const]),
  ] as const
  const request = { method: 'POST', path: '/api/v0/get', query, timeoutMs: silenceMs } as const
  const reply = await client.open(request, signal)
  const body = await bodyOf(reply)
  const total = options.json === true ? 0 : (reply.contentBytes ?? 0)
  const clock = systemClock
  const progress = createProgress(context, { title: 'received', total, clock, unit: 'bytes' })
  let received = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      received += chunk.length
      progress.at(Math.min(received, total))
      yield chunk
    }
  }
  const force = options.force === true
  const { files, bytes } = await unpackTar(counted(), place, { force }).finally(progress.end)
  const value = { ok: true, place, files, bytes }
  print(context, options.json, value, `saved ${visible(path)} to ${visible(place)}`)
}
