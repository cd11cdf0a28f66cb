// Reads a tar forward only (IEEE Std 1003.1 `pax`): verifies header checksums, applies extended headers, streams
// content. The caller validates names and targets.
import { ByteWindow } from './byte-window.ts'
import { Malformed } from '../ethereum/rlp.ts'
import type { TarEntry } from './tar.ts'

export type TarRead = {
  readonly entry: TarEntry
  /** The content of a file, for one reader; unread bytes are skipped at the next entry. */
  readonly content: AsyncGenerator<Uint8Array>
}

const blockBytes = 512
const extendedBytesMax = 64 * 1024
const kinds: Readonly<Record<string, TarEntry['kind'] | undefined>> = {
  '0': 'file',
  '\0': 'file',
  '2': 'symlink',
  '5': 'directory',
}

/**
 * Yields entries until the two empty blocks. Throws Malformed if it is not a tar, for an entry that is not a file, folder
 * or link, and for a number over 2^53; `command_failed` if it is truncated; and the errors of `chunks`.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarRead> {
  const window = new ByteWindow(chunks)
  let extended: ReadonlyMap<string, string> = new Map()
  for (;;) {
    const header = Buffer.from(await window.read(blockBytes))
    if (header.every((byte) => byte === 0)) return await window.drain()
    checkSum(header)
    const type = textOf(header, 156, 1) || '\0'
    const size = extended.get('size') ?? null
    const bytes = size === null ? octal(header, 124, 12) : wholeNumber(size)
    const padding = (blockBytes - (bytes % blockBytes)) % blockBytes
    if (type === 'x' || type === 'g') {
      if (bytes > extendedBytesMax) throw new Malformed('an extended header of at most 64 KiB')
      const records = parseRecords(Buffer.from(await window.read(bytes)))
      if (type === 'x') extended = records
      await window.skip(padding)
      continue
    }
    const kind = kinds[type]
    if (kind === undefined)
      throw new Malformed(`a file, folder or link, not type ${JSON.stringify(type)}`)
    const entry = entryOf(header, kind, bytes, extended)
    extended = new Map()
    const left = { bytes: kind === 'file' ? bytes : 0 }
    yield { entry, content: contentOf(window, left) }
    await window.skip((kind === 'file' ? left.bytes : bytes) + padding)
  }
}

async function* contentOf(window: ByteWindow, left: { bytes: number }): AsyncGenerator<Uint8Array> {
  while (left.bytes > 0) {
    const piece = await window.some(left.bytes)
    left.bytes -= piece.length
    yield piece
  }
}

function entryOf(
  header: Buffer,
  kind: TarEntry['kind'],
  bytes: number,
  extended: ReadonlyMap<string, string>,
): TarEntry {
  const prefix = textOf(header, 345, 155)
  const name = textOf(header, 0, 100)
  const path = extended.get('path') ?? (prefix === '' ? name : `${prefix}/${name}`)
  return {
    path: path.replace(/\/$/, ''),
    kind,
    size: BigInt(kind === 'file' ? bytes : 0),
    mode: octal(header, 100, 8) & 0o7777,
    mtime: parseTime(extended.get('mtime') ?? String(octal(header, 136, 12))),
    target: kind === 'symlink' ? (extended.get('linkpath') ?? textOf(header, 157, 100)) : '',
  }
}

function checkSum(header: Buffer): void {
  const declared = octal(header, 148, 8)
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  if (declared !== sum) throw new Malformed('a tar header with its sum')
}

function textOf(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end)
}

function octal(header: Buffer, at: number, length: number): number {
  const text = textOf(header, at, length).trim()
  if (!/^[0-7]*$/.test(text)) throw new Malformed('an octal number in a tar header')
  return Number.parseInt(text || '0', 8)
}

/** Records `<length> <key>=<value>\n`; the length includes itself, in bytes. */
function parseRecords(body: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at)
    const length = space === -1 ? 0 : wholeNumber(body.toString('latin1', at, space))
    const record = body.toString('utf8', space + 1, at + length - 1)
    const equals = record.indexOf('=')
    if (
      at + length > body.length ||
      space >= at + length ||
      equals < 1 ||
      body[at + length - 1] !== 0x0a
    ) {
      throw new Malformed('an extended header of records')
    }
    records.set(record.slice(0, equals), record.slice(equals + 1))
    at += length
  }
  return records
}

function parseTime(text: string): TarEntry['mtime'] {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d*))?$/.exec(text) ?? []
  if (whole === '') throw new Malformed('a time in a tar header')
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'))
  const total = (BigInt(whole) * 1_000_000_000n + nanos) * (sign === '' ? 1n : -1n)
  const rest = ((total % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  return { seconds: (total - rest) / 1_000_000_000n, nanos: Number(rest) }
}

function wholeNumber(text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new Malformed('a number below 2^53 in a tar header')
  return value
}
