// `dag/put`: decodes a node from one codec and stores it as a block of another. The CID is of version 1, and its base is never
// converted.
// Tested by src/kubo/commands/dag/dag.test.ts
import { isUtf8 } from 'node:buffer'
import { Fault } from '../../../base/fault.ts'
import { pinProvideOf } from '../../../base/provide.ts'
import { cidOf, dagJsonCodec, findCodec, jsonCodec } from '../../../codec/ipld/cid.ts'
import { checkDecoder, checkEncoder, decodeIpld, encodeIpld } from '../../../codec/ipld/ipld.ts'
import { cutMultihash, hashNames } from '../../../codec/ipld/multihash.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import {
  type CommandCall,
  type KuboCommand,
  failed,
  flag,
  text,
  valueOf,
} from '../../kubo-command.ts'
import {
  type BlockSize,
  allowBigBlock,
  blockSizeOf,
  fetchPolicyOf,
  readAtMost,
} from '../../params/file-options.ts'

type DagPutInput = {
  readonly entries: AsyncIterable<UploadEntry>
  readonly inputCodec: number
  readonly storeCodec: number
  readonly hashCode: number
  readonly pin: boolean
  readonly size: BlockSize
  readonly patience: FetchPolicy
}

type Put = { readonly Cid: { readonly '/': string } }

/** A node as text is larger than its block; Cairn checks the size of the block after encoding. */
const inputPerBlock = 2

const declared = {
  storeCodec: text('store-codec', { default: 'dag-cbor' }),
  inputCodec: text('input-codec', { default: 'dag-json' }),
  pin: flag('pin'),
  hash: text('hash', { default: 'sha2-256' }),
  allowBigBlock,
}

export const dagPut: KuboCommand<DagPutInput> = {
  name: 'dag/put',
  class: 'write',
  argument: { name: 'object data', required: true },
  body: 'entries',
  options: Object.values(declared),
  parse({ options, entries }) {
    if (entries === null) {
      throw new Fault('bad_argument', { detail: "file argument 'object data' is required" })
    }
    const inputCodec = codecOf(valueOf(options, declared.inputCodec))
    const storeCodec = codecOf(valueOf(options, declared.storeCodec))
    const hashName = valueOf(options, declared.hash)
    const hashCode = hashNames.get(hashName === '' ? 'sha2-256' : hashName)
    if (hashCode === undefined) throw failed(`unknown multicodec: ${JSON.stringify(hashName)}`)
    checkDecoder(inputCodec)
    checkEncoder(storeCodec)
    return {
      entries,
      inputCodec,
      storeCodec,
      hashCode,
      pin: valueOf(options, declared.pin),
      size: blockSizeOf(options),
      patience: fetchPolicyOf(options),
    }
  },
  async run(input, call) {
    const text = (line: unknown) => `${(line as Put).Cid['/']}\n`
    return { kind: 'events', lines: putAll(input, call), live: false, text }
  },
}

/** Stores parts one after another, each durable before its line; if a part fails, earlier ones remain stored. */
async function* putAll(input: DagPutInput, call: CommandCall) {
  const { inputCodec, storeCodec, hashCode, size, pin, patience } = input
  const context = {
    accountId: call.caller.accountId,
    keyId: call.caller.keyId,
    provide: pinProvideOf(call.caller.settings.provide, null),
    proceed: () => call.connected(),
    signal: call.signal,
  }
  const inputSize: BlockSize = { ...size, bytesMax: inputPerBlock * size.bytesMax }
  for await (const entry of input.entries) {
    if (entry.kind !== 'file') throw failed('expected a regular file')
    const given = await readAtMost(entry.content, inputSize)
    // Reads replace invalid UTF-8 by U+FFFD; a node to be stored must not be changed silently.
    if ((inputCodec === dagJsonCodec || inputCodec === jsonCodec) && !isUtf8(given)) {
      throw failed('malformed dag-json: text that is not UTF-8')
    }
    const bytes = encodeIpld(storeCodec, decodeIpld(inputCodec, given))
    if (bytes.length > size.bytesMax) throw failed(size.tooBig)
    const cid = cidOf(1, storeCodec, cutMultihash(hashCode, null, bytes))
    await call.files.putBlock({ cid, bytes }, pin, patience, context)
    yield { Cid: { '/': cid.toString() } } satisfies Put
  }
}

function codecOf(name: string): number {
  const codec = findCodec(name)
  if (codec === null) throw failed(`unknown multicodec: ${JSON.stringify(name)}`)
  return codec
}
