// `add`: imports the entries of an upload and returns the CID of each.
// Tested by src/kubo/commands/index.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../../base/fault.ts'
import { pinProvideOf } from '../../../base/provide.ts'
import type { UploadEntry, ImportEvent, ImportOptions } from '../../../ipfs/import/upload-entry.ts'
import type { ImportProfile } from '../../../codec/ipld/import-profile.ts'
import { type CommandCall, type KuboCommand, valueOf } from '../../kubo-command.ts'
import { type AddedEntry, linkAdded, unnamedToFiles } from '../mfs/added-entries.ts'
import { cidPrinter, provideOption } from '../../params/file-options.ts'
import { importOptions, parseImportOptions } from '../../params/import-options.ts'

type AddInput = {
  /** Path in the account's file tree to which the entries are linked; null: none. */
  readonly toFiles: string | null
  readonly profile: ImportProfile
  readonly options: ImportOptions
  readonly provide: boolean | null
  readonly print: (cid: CID) => string
  readonly entries: AsyncIterable<UploadEntry>
}

export const add: KuboCommand<AddInput> = {
  name: 'add',
  class: 'write',
  argument: { name: 'path', required: true },
  body: 'entries',
  options: [...importOptions, provideOption],
  parse({ options, entries }, profile) {
    if (entries === null) {
      throw new Fault('bad_argument', { detail: "file argument 'path' is required" })
    }
    const imports = parseImportOptions(options, profile)
    const toFiles = (options.get('to-files') as string | undefined) ?? null
    const provide = valueOf(options, provideOption)
    return { options: imports, toFiles, profile, provide, print: cidPrinter(options), entries }
  },
  async run(input, call) {
    const { options, toFiles, provide, print, entries } = input
    const context = {
      accountId: call.caller.accountId,
      keyId: call.caller.keyId,
      provide: pinProvideOf(call.caller.settings.provide, provide),
      proceed: () => call.connected(),
      signal: call.signal,
    }
    const checkedEntries = atLeastOne(entries)
    const events =
      toFiles === null
        ? call.files.import(checkedEntries, options, context)
        : linkedEvents(checkedEntries, { ...input, toFiles }, call, context)
    const lines = linesOf(events, print)
    return { kind: 'events', lines, live: options.progress, text: addedText }
  },
}

/** Progress lines have no CID and are omitted. */
function addedText(line: unknown): string {
  const { Name, Hash } = line as { readonly Name: string; readonly Hash?: string }
  return Hash === undefined ? '' : `added ${Hash} ${Name}\n`
}

async function* atLeastOne(entries: AsyncIterable<UploadEntry>): AsyncGenerator<UploadEntry> {
  let none = true
  for await (const entry of entries) {
    none = false
    yield entry
  }
  if (none) throw new Fault('command_failed', { detail: 'expected a file argument' })
}

/** Yields the last event only after the entries were linked into the account's file tree. */
async function* linkedEvents(
  entries: AsyncIterable<UploadEntry>,
  { options, toFiles, profile }: AddInput & { readonly toFiles: string },
  call: CommandCall,
  context: Parameters<CommandCall['files']['import']>[2],
): AsyncGenerator<ImportEvent> {
  const quiet = new Set<string>()
  const named = (async function* () {
    for await (const entry of entries) {
      if (entry.path === '') throw new Fault('command_failed', { detail: unnamedToFiles })
      if (options.silent && entry.kind !== 'directory') quiet.add(entry.path)
      yield entry
    }
  })()
  const added: AddedEntry[] = []
  let last = null as ImportEvent | null
  for await (const event of call.files.import(named, { ...options, silent: false }, context)) {
    if (event.kind === 'added' && !event.name.includes('/')) added.push(event)
    if (quiet.has(event.name)) continue
    if (last !== null) yield last
    last = event
  }
  await linkAdded(added, toFiles, profile, call)
  if (last !== null) yield last
}

async function* linesOf(events: AsyncIterable<ImportEvent>, print: (cid: CID) => string) {
  for await (const event of events) {
    // As in Kubo, zero values are omitted except the name; the order of members is Kubo's.
    if (event.kind === 'progress') {
      yield { Name: event.name, ...(event.bytes === 0 ? {} : { Bytes: event.bytes }) }
      continue
    }
    const { name, cid, size, mode, mtime } = event
    const timed = mtime !== undefined && mtime.seconds > 0n
    yield {
      Name: name,
      Hash: print(cid),
      Size: String(size),
      ...(mode === undefined || mode === 0 ? {} : { Mode: `0${mode.toString(8)}` }),
      ...(timed ? { Mtime: Number(mtime.seconds) } : {}),
      ...(timed && mtime.nanos !== 0 ? { MtimeNsecs: mtime.nanos } : {}),
    }
  }
}
