// Writes tar in POSIX form (pax interchange format, IEEE Std 1003.1 `pax`): one header per file, preceded by an
// extended header for values that the old fields cannot represent.
// Tested by src/ipfs/read/tar-tree.test.ts

export type TarEntry = {
  /** `/`-separated, never starts with `/`. */
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink'
  /** Size of the content after the header, for a file; else 0. */
  readonly size: bigint
  /** Low 12 bits. */
  readonly mode: number
  readonly mtime: { readonly seconds: bigint; readonly nanos: number }
  /** Target of a symlink, else ''. */
  readonly target: string
}

const blockBytes = 512
const types: Readonly<Record<TarEntry['kind'] | 'extended', string>> = {
  file: '0',
  symlink: '2',
  directory: '5',
  extended: 'x',
}
/** First value that does not fit in 11 octal digits. */
const octalMax = 8n ** 11n

/** Header blocks of one entry. `precise`: includes nanoseconds; else the time is rounded to seconds. */
export function tarHeader(entry: TarEntry, precise: boolean): Uint8Array {
  const { path, target, size, mtime } = entry
  const seconds = !precise && mtime.nanos >= 500_000_000 ? mtime.seconds + 1n : mtime.seconds
  const nanos = precise ? mtime.nanos : 0
  const records: string[] = []
  if (!fitsField(path)) records.push(record('path', path))
  if (!fitsField(target)) records.push(record('linkpath', target))
  if (size >= octalMax) records.push(record('size', String(size)))
  if (nanos !== 0 || seconds < 0n || seconds >= octalMax) {
    records.push(record('mtime', decimal(seconds, nanos)))
  }
  const plain = fields({
    name: path,
    mode: entry.mode & 0o7777,
    size: size < octalMax ? size : 0n,
    seconds: seconds >= 0n && seconds < octalMax ? seconds : 0n,
    type: types[entry.kind],
    target,
  })
  if (records.length === 0) return plain
  const body = Buffer.from(records.join(''), 'utf8')
  const head = fields({
    name: `PaxHeaders.0/${path.slice(path.lastIndexOf('/') + 1)}`,
    mode: 0o644,
    size: BigInt(body.length),
    seconds: 0n,
    type: types.extended,
    target: '',
  })
  return Buffer.concat([head, body, tarPadding(BigInt(body.length)), plain])
}

/** Zeros up to the next block. */
export function tarPadding(size: bigint): Uint8Array {
  return new Uint8Array(
    Number((BigInt(blockBytes) - (size % BigInt(blockBytes))) % BigInt(blockBytes)),
  )
}

/** The two empty blocks that end an archive. */
export function tarEnd(): Uint8Array {
  return new Uint8Array(2 * blockBytes)
}

function fields(of: {
  readonly name: string
  readonly mode: number
  readonly size: bigint
  readonly seconds: bigint
  readonly type: string
  readonly target: string
}): Uint8Array {
  const header = Buffer.alloc(blockBytes)
  header.write(inField(of.name), 0, 'latin1')
  header.write(`${of.mode.toString(8).padStart(7, '0')}\0`, 100, 'latin1')
  header.write('0000000\x000000000\0', 108, 'latin1')
  header.write(`${of.size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  header.write(`${of.seconds.toString(8).padStart(11, '0')}\0`, 136, 'latin1')
  header.write(of.type, 156, 'latin1')
  header.write(inField(of.target), 157, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  header.write('0000000\x000000000\0', 329, 'latin1')
  // The checksum counts its own field as spaces.
  header.write(' '.repeat(8), 148, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

function fitsField(text: string): boolean {
  return text.length <= 100 && inField(text) === text
}

/** The value for readers without pax support: ASCII, truncated to the 100 bytes of the field. */
function inField(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[^\u0001-\u007f]/gu, '_').slice(0, 100)
}

/** `<length> <key>=<value>\n`; the length includes itself. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(value) + key.length + 3
  let length = rest + String(rest).length
  if (String(length).length !== String(rest).length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

/** Seconds with a fraction; before 1970 the fraction counts towards zero. */
function decimal(seconds: bigint, nanos: number): string {
  if (nanos === 0) return String(seconds)
  const total = seconds * 1_000_000_000n + BigInt(nanos)
  const size = total < 0n ? -total : total
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '')
  return `${total < 0n ? '-' : ''}${size / 1_000_000_000n}.${fraction}`
}
