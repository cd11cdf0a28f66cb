// `cairn add`: adds files, folders and links through the running server, with the options, CIDs and output lines of `ipfs add`.
// An upload succeeds as a whole or not at all.
// Tested by test/cli/add-get.test.ts
import type { Command } from 'commander'
import { systemClock } from '../../base/clock.ts'
import type { HttpClient } from '../../ipfs/sources/http-client.ts'
import { addBooleanOptions } from '../boolean-options.ts'
import type { Context } from '../context.ts'
import { findContentLink } from '../move/content-link.ts'
import { replyLines } from '../move/reply-lines.ts'
import { sendUpload } from '../move/send-upload.ts'
import { listUpload, type UploadItem } from '../move/upload-list.ts'
import { createProgress } from '../progress.ts'
import { visible } from '../report.ts'
import { addServerOptions, serverAccess, type ServerOptions } from '../server-access.ts'
import { addSharedOptions } from '../shared-options.ts'
import { withServer } from '../with-server.ts'

type Options = ServerOptions &
  Readonly<Record<string, string | boolean | undefined>> & {
    readonly hidden?: boolean
    readonly dereferenceArgs?: boolean
    readonly preserveMode?: boolean
    readonly preserveMtime?: boolean
    readonly quiet?: boolean
    readonly quieter?: boolean
    readonly silent?: boolean
    readonly progress?: boolean
    readonly stdinName?: string
  }

/** Options that are sent to the server under the same names. */
const switches = [
  ['--pin', 'pin the added content (true)'],
  ['--raw-leaves', 'store leaves as raw blocks'],
  ['-t, --trickle', 'use the trickle layout'],
  ['-n, --only-hash', 'compute the CIDs and store nothing'],
  ['-w, --wrap-with-directory', 'wrap all entries in one folder'],
  ['--inline', 'store small blocks inside their CIDs'],
  ['--preserve-mode', 'store permissions'],
  ['--preserve-mtime', 'store modification times'],
  ['-E, --empty-dirs', 'include empty folders (true)'],
] as const
const values = [
  ['--cid-version <version>', '0 or 1'],
  ['-s, --chunker <chunker>', 'size-<bytes>, rabin-<min>-<avg>-<max> or buzhash'],
  ['--hash <function>', 'hash function, such as sha2-256'],
  ['--inline-limit <bytes>', 'maximum size of an inlined block'],
  ['--max-file-links <number>', 'maximum number of links of a file node'],
  ['--max-directory-links <number>', 'maximum number of links of an unsharded folder'],
  ['--max-hamt-fanout <number>', 'fanout of a sharded folder'],
  ['--pin-name <name>', 'name of the pin (name of the file or folder, if there is one)'],
  ['--mode <mode>', 'permissions of all entries, octal with a leading 0'],
  ['--mtime <seconds>', 'modification time of all entries'],
  ['--mtime-nsecs <nanoseconds>', 'fraction of --mtime'],
] as const
/** Maximum length of a pin name; Kubo and the server have the same limit. */
const pinNameBytesMax = 255
/** Options that only the client uses. */
const own = [
  ['-H, --hidden', 'include hidden files in folders'],
  ['--dereference-args', 'follow links in the arguments'],
  ['-q, --quiet', 'print only CIDs'],
  ['-Q, --quieter', 'print only the last CID'],
  ['--silent', 'print nothing'],
  ['-p, --progress', 'show a progress bar (true on a terminal)'],
  ['-r, --recursive', 'add folders recursively (always true)'],
] as const

export function defineAdd(command: Command, context: Context): void {
  addServerOptions(addSharedOptions(command)).argument(
    '[paths...]',
    'files and folders; - or no path reads standard input',
  )
  addBooleanOptions(command, [...switches, ...own])
  for (const [flags, description] of values) command.option(flags, description)
  command
    .option('--stdin-name <name>', 'file name for standard input')
    .addHelpText(
      'after',
      `
Examples:
  cairn add photo.jpg
  cairn add -Q --cid-version 1 site/
  tar c . | cairn add -Q --stdin-name backup.tar

Set the API key with CAIRN_KEY or --key, and its secret with CAIRN_SECRET. Missing options use the key's import profile.
Prints "added <cid> <name>" for each file and folder, the root last, and on a terminal the address for a browser of the
server's machine. If the command fails, the server stores nothing.`,
    )
    .action((paths: readonly string[], options: Options) => runAdd(context, paths, options))
}

async function runAdd(context: Context, paths: readonly string[], options: Options): Promise<void> {
  const items = await listUpload(paths.length === 0 ? ['-'] : paths, {
    hidden: options.hidden === true,
    dereference: options.dereferenceArgs === true,
    inputName: options.stdinName ?? '',
  })
  const { url } = await serverAccess(context, options)
  await withServer(context, options, 1, (client, signal) =>
    upload(context, options, { items, url }, client, signal),
  )
}

async function upload(
  context: Context,
  options: Options,
  { items, url }: { readonly items: readonly UploadItem[]; readonly url: string },
  client: HttpClient,
  signal: AbortSignal,
): Promise<void> {
  const isQuiet = options.quieter === true || options.silent === true || options.progress === false
  // The length of standard input is unknown until its end.
  const isKnown = items.every(({ kind }) => kind !== 'input')
  // A user who gave no path would not notice that the command waits for input.
  if (!isKnown && context.openQuestions !== undefined) {
    context.err('Reading from standard input. Press Ctrl-D to finish.\n')
  }
  const total = items.reduce((sum, item) => sum + (item.kind === 'file' ? item.bytes : 0), 0)
  const progress = createProgress(context, {
    title: 'sent',
    total: isKnown && !isQuiet && options.json !== true ? total : 0,
    clock: systemClock,
    unit: 'bytes',
  })
  try {
    await sendUpload(
      client,
      {
        path: '/api/v0/add',
        query: queryOf(options, items),
        items,
        preserveMode: options.preserveMode === true,
        preserveMtime: options.preserveMtime === true,
        sent: progress.at,
      },
      (body) => {
        progress.end()
        return printAdded(context, options, body, url)
      },
      signal,
    )
  } finally {
    progress.end()
    // Unread input must not keep the process alive.
    if (!isKnown) process.stdin.destroy()
  }
}

async function printAdded(
  context: Context,
  options: Options,
  body: AsyncIterable<Uint8Array>,
  url: string,
): Promise<void> {
  const added: { readonly name: string; readonly cid: string; readonly size: number }[] = []
  let last = ''
  for await (const line of replyLines(body)) {
    const { Name: name, Hash: cid, Size: size } = line
    if (typeof cid !== 'string' || typeof name !== 'string') continue
    last = cid
    if (options.json === true) added.push({ name, cid, size: Number(size) })
    else if (options.silent === true || options.quieter === true) continue
    else if (options.quiet === true) context.out(`${cid}\n`)
    else context.out(`added ${cid} ${visible(name)}\n`.replace(/ \n$/, '\n'))
  }
  if (last === '') throw new Error('the server returned no CID')
  const isQuiet = options.silent === true || options.quieter === true || options.quiet === true
  const shows = options.json === true || (!isQuiet && context.terminal?.err === true)
  const link = shows ? await findContentLink(url, last) : null
  if (options.json === true) context.out(`${JSON.stringify({ root: last, added, link })}\n`)
  else if (link !== null) context.err(`Open it in a browser: ${link}\n`)
  else if (options.quieter === true && options.silent !== true) context.out(`${last}\n`)
}

/** Without `--pin-name`, the pin of a single file or folder gets its name. */
function queryOf(
  options: Options,
  items: readonly UploadItem[],
): readonly (readonly [string, string])[] {
  const roots = items.filter(({ name }) => !name.includes('/'))
  const name = roots.length === 1 ? (roots[0]?.name ?? '') : ''
  const isPinned = options['pin'] !== false && options['onlyHash'] !== true
  const isNamed = options['pinName'] !== undefined || !isPinned || name === ''
  const fits = Buffer.byteLength(name) <= pinNameBytesMax
  return [...optionsOf(options), ...(isNamed || !fits ? [] : [['pin-name', name] as const])]
}

function optionsOf(options: Options): readonly (readonly [string, string])[] {
  return [...switches, ...values].flatMap(([flags]) => {
    const name = /--([a-z-]+)/.exec(flags)?.[1] ?? ''
    const value = options[name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())]
    return value === undefined ? [] : [[name, String(value)] as const]
  })
}
