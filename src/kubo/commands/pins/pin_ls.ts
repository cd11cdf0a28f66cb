// `pin/ls`: all pins of the account, or those of the arguments.
// Tested by src/kubo/commands/index.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../../base/fault.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import {
  type CommandCall,
  type CommandReply,
  type KuboCommand,
  flag,
  text,
  valueOf,
} from '../../kubo-command.ts'
import { cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'

/** Maximum number of pins of a reply that is a single object: some hundred bytes each. */
const bufferedPinsMax = 250_000

const types: readonly string[] = ['direct', 'indirect', 'recursive', 'all']

type PinLsInput = {
  readonly paths: readonly string[]
  readonly type: string
  readonly names: boolean
  /** Part of a pin name; '': no filter. */
  readonly name: string
  readonly stream: boolean
  /** The text reply contains only CIDs. */
  readonly quiet: boolean
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

type Listed = { readonly cid: CID; readonly type: string; readonly name: string }

type Shown = { readonly Type: string; readonly Name: string }
type Line = { readonly Cid: string; readonly Name?: string; readonly Type: string }

const declared = {
  type: text('type', { alias: 't', default: 'all' }),
  names: flag('names'),
  name: text('name', { alias: 'n' }),
  stream: flag('stream', { alias: 's' }),
  quiet: flag('quiet', { alias: 'q' }),
}

export const pinLs: KuboCommand<PinLsInput> = {
  name: 'pin/ls',
  class: 'read',
  argument: { name: 'ipfs-path', required: false },
  body: 'none',
  options: Object.values(declared),
  parse({ args, options }) {
    const type = valueOf(options, declared.type)
    if (!types.includes(type)) {
      throw new Fault('command_failed', {
        detail: `invalid type '${type}', must be one of {direct, indirect, recursive, all}`,
      })
    }
    const name = args.length === 0 ? valueOf(options, declared.name) : ''
    return {
      paths: args,
      type,
      names: name !== '' || valueOf(options, declared.names),
      name,
      stream: valueOf(options, declared.stream),
      quiet: valueOf(options, declared.quiet),
      patience: fetchPolicyOf(options),
      print: cidPrinter(options),
    }
  },
  async run(input, call) {
    const listed = input.paths.length === 0 ? listAll(input, call) : listPaths(input, call)
    if (!input.stream) return await keysOf(listed, input)
    const text = (line: unknown) => {
      const { Cid, Name = '', Type } = line as Line
      return textOfPin(input, Cid, { Type, Name })
    }
    return { kind: 'events', lines: linesOf(listed, input), live: false, text }
  },
}

async function* listAll(input: PinLsInput, call: CommandCall): AsyncGenerator<Listed> {
  const { caller, files, signal } = call
  const wants = (type: string): boolean => input.type === 'all' || input.type === type
  for await (const { cid, mode, name } of files.pins(caller.accountId, signal)) {
    if (wants(mode) && name.includes(input.name)) yield { cid, type: mode, name }
  }
  // Indirect pins have no name, so a filter never matches them.
  if (!wants('indirect') || input.name !== '') return
  for await (const { cid } of files.indirect(caller.accountId, signal)) {
    yield { cid, type: 'indirect', name: '' }
  }
}

/** One per argument, in their order; all are found before the first one is sent. */
async function* listPaths(input: PinLsInput, call: CommandCall): AsyncGenerator<Listed> {
  const { caller, files, signal } = call
  const wants = (type: string): boolean => input.type === 'all' || input.type === type
  const found: (Listed | null)[] = []
  const open = new Map<string, { readonly cid: CID; readonly indexes: number[] }>()
  for (const path of input.paths) {
    const cid = await files.resolve(path, input.patience, signal)
    const pin = await files.findPin(caller.accountId, cid)
    if (pin !== null && wants(pin.mode)) {
      found.push({ cid, type: pin.mode, name: pin.name })
      continue
    }
    found.push(null)
    // A recursive pin is never listed as indirect; a direct one may be both.
    if (pin?.mode === 'recursive') continue
    const entry = open.get(cid.toString()) ?? { cid, indexes: [] }
    entry.indexes.push(found.length - 1)
    open.set(cid.toString(), entry)
  }
  if (open.size > 0 && wants('indirect')) {
    const sought = [...open.values()].map(({ cid }) => cid)
    for await (const { cid, root } of files.indirect(caller.accountId, signal, sought)) {
      const entry = open.get(cid.toString())
      if (entry === undefined) continue
      const type = `indirect through ${input.print(root)}`
      for (const index of entry.indexes) found[index] = { cid, type, name: '' }
      open.delete(cid.toString())
      if (open.size === 0) break
    }
  }
  const missing = found.indexOf(null)
  if (missing !== -1) {
    const detail = `path '${input.paths[missing]}' is not pinned`
    throw new Fault('command_failed', { detail })
  }
  for (const one of found) if (one !== null) yield one
}

async function* linesOf(listed: AsyncIterable<Listed>, input: PinLsInput) {
  for await (const { cid, type, name } of listed) {
    const shown = input.names && name !== '' ? { Name: name } : {}
    yield { Cid: input.print(cid), ...shown, Type: type } satisfies Line
  }
}

/** Unnamed pins of the same type share one object, because there may be very many. */
async function keysOf(listed: AsyncIterable<Listed>, input: PinLsInput): Promise<CommandReply> {
  const nameless = new Map<string, Shown>()
  const shownAs = new Map<string, Shown>()
  for await (const { cid, type, name } of listed) {
    const key = input.print(cid)
    if (shownAs.has(key)) continue
    if (shownAs.size >= bufferedPinsMax) {
      const detail = `more than ${bufferedPinsMax} pins: request them with stream=true`
      throw new Fault('command_failed', { detail })
    }
    const shown = input.names && name !== '' ? { Type: type, Name: name } : nameless.get(type)
    if (shown !== undefined) shownAs.set(key, shown)
    else {
      const first = { Type: type, Name: '' }
      nameless.set(type, first)
      shownAs.set(key, first)
    }
  }
  const keys = [...shownAs.keys()].toSorted()
  const text = (entry: unknown) => {
    const [key, shown] = entry as readonly [string, Shown]
    return textOfPin(input, key, shown)
  }
  return { kind: 'keyed', name: 'Keys', entries: entriesOf(keys, shownAs), text }
}

function textOfPin({ quiet }: PinLsInput, cid: string, { Type, Name }: Shown): string {
  return quiet ? `${cid}\n` : `${cid} ${Type}${Name === '' ? '' : ` ${Name}`}\n`
}

function* entriesOf(
  keys: readonly string[],
  shownAs: ReadonlyMap<string, Shown>,
): Generator<readonly [string, unknown]> {
  for (const key of keys) yield [key, shownAs.get(key)]
}
