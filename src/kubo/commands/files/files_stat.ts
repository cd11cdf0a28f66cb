// `files/stat` of content paths: there is no file system of one's own here to look into.
// Tested by src/kubo/commands/files/listings.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../../base/fault.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { type KuboCommand, flag, text, valueOf } from '../../kubo-command.ts'
import { cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'

type FilesStatInput = {
  readonly path: string
  readonly withLocal: boolean
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

const takes = {
  withLocal: flag('with-local'),
  format: text('format'),
  hash: flag('hash'),
  size: flag('size'),
}

export const filesStat: KuboCommand<FilesStatInput> = {
  name: 'files/stat',
  class: 'read',
  argument: { name: 'path', required: true },
  body: 'none',
  options: Object.values(takes),
  parse({ args, options }) {
    const formats = [
      valueOf(options, takes.hash),
      valueOf(options, takes.size),
      valueOf(options, takes.format) !== '',
    ]
    if (formats.filter(Boolean).length > 1) {
      const detail = 'format was set by multiple options. Only one format option is allowed'
      throw new Fault('bad_params', { detail })
    }
    const path = args[0] ?? ''
    if (!/^\/|^[a-z][a-z\d+.-]*:/i.test(path)) throw failed('paths must start with a leading slash')
    if (!/^\/+ip[fln][sd]\/|^ip[fln][sd]:/i.test(path)) throw failed('file does not exist')
    return {
      path,
      withLocal: valueOf(options, takes.withLocal),
      patience: fetchPolicyOf(options),
      print: cidPrinter(options),
    }
  },
  async run({ path, withLocal, patience, print }, { files, signal }) {
    const cid = await files.resolve(path, patience, signal)
    const { kind, size, cumulativeSize, links, mode, mtime } = await files.stat(
      cid,
      patience,
      signal,
    )
    const local = withLocal ? await files.locality(cid, signal) : null
    // Members that are zero are absent, as in Kubo.
    const value = {
      Hash: print(cid),
      Size: size,
      CumulativeSize: cumulativeSize,
      Blocks: links,
      Type: kind === 'directory' ? 'directory' : 'file',
      ...(local === null ? {} : { WithLocality: true }),
      ...(local?.whole === true ? { Local: true } : {}),
      ...(local === null ? {} : { SizeLocal: local.bytes }),
      ...(mode === null ? {} : { Mode: mode.toString(8).padStart(4, '0') }),
      ...(mtime === null ? {} : { Mtime: mtime.seconds }),
      ...(mtime === null || mtime.nanos === 0 ? {} : { MtimeNsecs: mtime.nanos }),
    }
    return { kind: 'object', value }
  },
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
