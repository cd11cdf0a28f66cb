// Reads a tar archive including extended headers, for tests of its content.

export type ReadEntry = {
  readonly path: string
  readonly type: string
  readonly mode: number
  /** Seconds as text, with a fraction if there is one. */
  readonly mtime: string
  readonly target: string
  readonly content: Buffer
}

/** Throws on a wrong checksum and on truncated input. */
export function readTar(archive: Buffer): ReadEntry[] {
  const entries: ReadEntry[] = []
  let extended = new Map<string, string>()
  for (let at = 0; ;) {
    const header = archive.subarray(at, at + 512)
    if (header.length < 512) throw new Error('archive is cut short')
    if (header.every((byte) => byte === 0)) return entries
    checkSum(header)
    const text = (from: number, length: number) =>
      header
        .subarray(from, from + length)
        .toString('latin1')
        .replace(/\0.*$/s, '')
    const size = Number(extended.get('size') ?? Number.parseInt(text(124, 12), 8))
    const content = archive.subarray(at + 512, at + 512 + size)
    at += 512 + Math.ceil(size / 512) * 512
    const type = text(156, 1)
    if (type === 'x') {
      extended = records(content)
      continue
    }
    entries.push({
      path: extended.get('path') ?? text(0, 100),
      type,
      mode: Number.parseInt(text(100, 8), 8),
      mtime: extended.get('mtime') ?? String(Number.parseInt(text(136, 12), 8)),
      target: extended.get('linkpath') ?? text(157, 100),
      content,
    })
    extended = new Map()
  }
}

function checkSum(header: Buffer): void {
  const plain = Buffer.from(header).fill(' ', 148, 156)
  const sum = plain.reduce((total, byte) => total + byte, 0)
  const written = Number.parseInt(header.subarray(148, 154).toString('latin1'), 8)
  if (sum !== written) throw new Error(`header sum is ${sum}, not ${written}`)
}

function records(content: Buffer): Map<string, string> {
  const found = new Map<string, string>()
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(' ', at)
    const length = Number(content.subarray(at, space).toString())
    const [key = '', ...value] = content
      .subarray(space + 1, at + length - 1)
      .toString()
      .split('=')
    if (content[at + length - 1] !== 10) throw new Error('record length does not match')
    found.set(key, value.join('='))
    at += length
  }
  return found
}
