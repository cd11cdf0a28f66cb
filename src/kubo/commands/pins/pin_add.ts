// `pin/add`: pins content by path for the caller's account.
// Tested by src/kubo/commands/index.test.ts
import type { CID } from 'multiformats/cid'
import type { Clock } from '../../../base/clock.ts'
import { pinProvideOf } from '../../../base/provide.ts'
import type { FetchPolicy, PinMode } from '../../../ipfs/files.ts'
import { type CommandCall, type KuboCommand, flag, text, valueOf } from '../../kubo-command.ts'
import {
  checkPinName,
  cidPrinter,
  fetchPolicyOf,
  provideOption,
} from '../../params/file-options.ts'

type PinAddInput = {
  readonly paths: readonly string[]
  readonly mode: PinMode
  readonly name: string
  readonly progress: boolean
  readonly provide: boolean | null
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

type Count = { blocks: number; bytes: bigint }

const progressMs = 500

const declared = {
  recursive: flag('recursive', { alias: 'r', default: true }),
  name: text('name', { alias: 'n' }),
  progress: flag('progress'),
  provide: provideOption,
}

/** `clock`: paces the progress lines, sent only with `progress=true`, because JS clients fail on them. */
export function createPinAdd(clock: Clock): KuboCommand<PinAddInput> {
  return {
    name: 'pin/add',
    class: 'write',
    stores: true,
    argument: { name: 'ipfs-path', required: true },
    body: 'lines',
    options: Object.values(declared),
    parse({ args, options }) {
      const name = valueOf(options, declared.name)
      checkPinName(name)
      return {
        paths: args,
        mode: valueOf(options, declared.recursive) ? 'recursive' : 'direct',
        name,
        progress: valueOf(options, declared.progress),
        provide: valueOf(options, declared.provide),
        patience: fetchPolicyOf(options),
        print: cidPrinter(options),
      }
    },
    async run(input, call) {
      const count: Count = { blocks: 0, bytes: 0n }
      const text = (value: unknown) => asText(input, value as { readonly Pins?: readonly string[] })
      if (!input.progress) {
        return { kind: 'object', value: await pinAll(input, call, count), text }
      }
      return { kind: 'events', lines: withProgress(input, call, count, clock), live: true, text }
    },
  }
}

/** Progress lines contain no pins. */
function asText(
  { mode }: PinAddInput,
  { Pins: pins = [] }: { readonly Pins?: readonly string[] },
): string {
  const how = mode === 'recursive' ? 'recursively' : 'directly'
  return pins.map((pin) => `pinned ${pin} ${how}\n`).join('')
}

/** Pins one after another, not all or nothing. */
async function pinAll(input: PinAddInput, call: CommandCall, count: Count) {
  const { files, caller, signal } = call
  const { mode, name, patience } = input
  const provide = pinProvideOf(caller.settings.provide, input.provide)
  const pinned: string[] = []
  for (const path of input.paths) {
    const cid = await files.resolve(path, patience, signal)
    const before = { ...count }
    const report = (blocks: number, bytes: bigint): void => {
      count.blocks = before.blocks + blocks
      count.bytes = before.bytes + bytes
    }
    const pin = { cid, mode, name, provide, keyId: caller.keyId }
    await files.pin(caller.accountId, pin, patience, report, signal)
    pinned.push(input.print(cid))
  }
  return { Pins: pinned }
}

async function* withProgress(input: PinAddInput, call: CommandCall, count: Count, clock: Clock) {
  const work = pinAll(input, call, count)
  // The race below reports the error; without this, a failure while a line is being sent would be an unhandled rejection.
  work.catch(() => {})
  for (;;) {
    const tick = Promise.withResolvers<null>()
    const stop = clock.after(progressMs, () => tick.resolve(null))
    let pins: { Pins: string[] } | null
    try {
      pins = await Promise.race([work, tick.promise])
    } finally {
      stop()
    }
    if (pins !== null) {
      yield pins
      return
    }
    yield {
      ...(count.blocks === 0 ? {} : { Progress: count.blocks }),
      ...(count.bytes === 0n ? {} : { Bytes: Number(count.bytes) }),
    }
  }
}
