// `block/put`: stores blocks of the client under the CID that the options determine.
// Tested by src/kubo/commands/dag/blocks.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../../base/fault.ts'
import { pinProvideOf } from '../../../base/provide.ts'
import { cidOf, dagCborCodec, dagPbCodec, findCodec, rawCodec } from '../../../codec/ipld/cid.ts'
import { cutMultihash, hashNames, sha256Code } from '../../../codec/ipld/multihash.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import {
  type CommandCall,
  type KuboCommand,
  type OptionValues,
  failed,
  flag,
  integer,
  text,
  valueOf,
} from '../../kubo-command.ts'
import {
  type BlockSize,
  allowBigBlock,
  blockSizeOf,
  cidPrinter,
  fetchPolicyOf,
  readAtMost,
} from '../../params/file-options.ts'

type BlockPutInput = {
  readonly entries: AsyncIterable<UploadEntry>
  readonly version: 0 | 1
  readonly codec: number
  readonly hashCode: number
  /** Length of the digest in bytes; null: full length. */
  readonly digestBytes: number | null
  readonly pin: boolean
  readonly size: BlockSize
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

type Put = { readonly Key: string; readonly Size: number }

const declared = {
  cidCodec: text('cid-codec', { default: 'raw' }),
  mhtype: text('mhtype', { default: 'sha2-256' }),
  mhlen: integer('mhlen', { default: -1n }),
  pin: flag('pin'),
  allowBigBlock,
  format: text('format', { alias: 'f' }),
}

export const blockPut: KuboCommand<BlockPutInput> = {
  name: 'block/put',
  class: 'write',
  argument: { name: 'data', required: true },
  body: 'entries',
  options: Object.values(declared),
  parse({ options, entries }) {
    if (entries === null) {
      throw new Fault('bad_argument', { detail: "file argument 'data' is required" })
    }
    const hashName = valueOf(options, declared.mhtype)
    const hashCode = hashNames.get(hashName)
    if (hashCode === undefined) throw failed(`unrecognized multihash function: ${hashName}`)
    const length = Number(valueOf(options, declared.mhlen))
    const digestBytes = length < 0 ? null : length
    const { version, codec } = formatOf(options)
    if (version === 0 && (hashCode !== sha256Code || (digestBytes ?? 32) !== 32)) {
      throw failed('invalid cid: invalid v0 prefix')
    }
    return {
      entries,
      version,
      codec,
      hashCode,
      digestBytes,
      pin: valueOf(options, declared.pin),
      size: blockSizeOf(options),
      patience: fetchPolicyOf(options),
      print: cidPrinter(options),
    }
  },
  async run(input, call) {
    const text = (line: unknown) => `${(line as Put).Key}\n`
    return { kind: 'events', lines: putAll(input, call), live: false, text }
  },
}

/** `format` is the older option for codec and version; setting both is refused. */
function formatOf(options: OptionValues): { version: 0 | 1; codec: number } {
  const format = valueOf(options, declared.format)
  const codecName = valueOf(options, declared.cidCodec)
  if (format !== '' && codecName !== '' && codecName !== 'raw') {
    throw failed('unable to use "format" (deprecated) and a custom "cid-codec" at the same time')
  }
  if (format === 'v0') return { version: 0, codec: dagPbCodec }
  if (format === 'protobuf') return { version: 1, codec: dagPbCodec }
  if (format === 'cbor') return { version: 1, codec: dagCborCodec }
  const name = format === '' ? codecName : format
  const codec = name === '' ? rawCodec : findCodec(name)
  if (codec === null) throw failed(`unknown multicodec: ${JSON.stringify(name)}`)
  return { version: 1, codec }
}

/** Stores parts one after another, each durable before its line; if a part fails, earlier ones remain stored. */
async function* putAll(input: BlockPutInput, call: CommandCall) {
  const { version, codec, hashCode, digestBytes, pin, patience } = input
  const context = {
    accountId: call.caller.accountId,
    keyId: call.caller.keyId,
    provide: pinProvideOf(call.caller.settings.provide, null),
    proceed: () => call.connected(),
    signal: call.signal,
  }
  for await (const entry of input.entries) {
    if (entry.kind !== 'file') throw failed('expected a file')
    const bytes = await readAtMost(entry.content, input.size)
    const cid = cidOf(version, codec, cutMultihash(hashCode, digestBytes, bytes))
    await call.files.putBlock({ cid, bytes }, pin, patience, context)
    yield { Key: input.print(cid), Size: bytes.length } satisfies Put
  }
}
