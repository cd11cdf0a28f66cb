// `get`: a file or directory as a tar, gzipped on request; a single file may be gzipped without tar.
import type { CID } from 'multiformats/cid'
import type { Clock } from '../../../base/clock.ts'
import { gzipped } from '../../../base/gzip.ts'
import { bufferStart } from '../../../base/buffer-start.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import type { NodeStat } from '../../../ipfs/read/listed.ts'
import { parseNamePath, parsePath } from '../../../ipfs/read/path.ts'
import { tarTree } from '../../../ipfs/read/tar-tree.ts'
import {
  type CommandCall,
  type KuboCommand,
  failed,
  flag,
  integer,
  valueOf,
} from '../../kubo-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'

type GetInput = {
  readonly path: string
  readonly archive: boolean
  readonly compress: boolean
  /** Null: not set. */
  readonly level: number | null
  readonly patience: FetchPolicy
}

/** Maximum number of files and folders in one archive. */
const entriesMax = 1_000_000
/** Bytes that are buffered before the status is sent: most invalid names and missing blocks are found by then. */
const bufferedBytes = 65_536

const declared = {
  archive: flag('archive', { alias: 'a' }),
  compress: flag('compress', { alias: 'C' }),
  compressionLevel: integer('compression-level', { alias: 'l', default: null }),
}

/** `clock`: modification time of entries without one. */
export function createGet(clock: Clock): KuboCommand<GetInput> {
  return {
    name: 'get',
    class: 'read',
    argument: { name: 'ipfs-path', required: true },
    body: 'lines',
    options: Object.values(declared),
    parse({ args, options }) {
      const compress = valueOf(options, declared.compress)
      const requestedLevel = valueOf(options, declared.compressionLevel)
      const level = requestedLevel === null ? null : Number(requestedLevel)
      if (compress && level !== null && (level < 1 || level > 9)) {
        throw failed('compression level must be between 1 and 9')
      }
      return {
        path: args[0] ?? '',
        archive: valueOf(options, declared.archive),
        compress,
        level,
        patience: fetchPolicyOf(options),
      }
    },
    async run(input, call) {
      const { path, archive, compress, level, patience } = input
      const cid = await call.files.resolve(path, patience, call.signal)
      const stat = await call.files.stat(cid, patience, call.signal)
      const bare = compress && !archive
      if (bare && stat.kind !== 'file') throw failed('file is not regular')
      const chunks = bare
        ? (await call.files.open(cid, { offset: 0n, length: null }, patience, call.signal)).chunks
        : archived(input, cid, stat, call, clock)
      return {
        kind: 'bytes',
        chunks: compress ? gzipped(chunks, level) : chunks,
        length: null,
        type: compress ? 'application/gzip' : 'application/x-tar',
        contentLength: stat.kind === 'directory' ? stat.cumulativeSize : stat.size,
      }
    },
  }
}

function archived(
  { path, archive, patience }: GetInput,
  cid: CID,
  stat: NodeStat,
  { files, signal }: CommandCall,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  const now = { seconds: BigInt(Math.floor(clock.now() / 1000)), nanos: 0 }
  const root = { cid, name: nameOf(path), stat }
  const tar = tarTree(files, root, { precise: !archive, now, entriesMax }, patience, signal)
  return bufferStart(tar, bufferedBytes)
}

/** The last segment of the path as the client sent it. */
function nameOf(path: string): string {
  const { segments } = parseNamePath(path) ?? parsePath(path)
  return segments.at(-1) ?? path.replace(/\/+$/, '').replace(/^.*[/:]/s, '')
}
