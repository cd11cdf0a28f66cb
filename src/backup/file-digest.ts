// Reads files in pieces, hashes and copies them. Bounded memory: one buffer of 1 MiB per file.
// Tested by src/backup/target.test.ts
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { describeErrno } from '../base/describe-errno.ts'

const pieceBytes = 1024 * 1024

/** Called with the size of each piece. */
export type OnBytes = (bytes: number) => void

/** Yields the first `bytes` of a file. A piece is valid until the next one is requested. Throws if the file is shorter. */
export async function* readPieces(
  path: string,
  bytes: number,
  signal: AbortSignal,
  size: number = pieceBytes,
): AsyncGenerator<Uint8Array> {
  await using file = await open(path, 'r')
  const buffer = Buffer.allocUnsafe(Math.min(size, Math.max(1, bytes)))
  for (let at = 0; at < bytes;) {
    signal.throwIfAborted()
    const wanted = Math.min(buffer.length, bytes - at)
    const got = await fill(file, buffer.subarray(0, wanted), at)
    if (got < wanted) throw new Error(`${path} has ${at + got} bytes, expected ${bytes}`)
    yield buffer.subarray(0, wanted)
    at += wanted
  }
}

async function fill(file: FileHandle, into: Buffer, at: number): Promise<number> {
  let got = 0
  while (got < into.length) {
    const { bytesRead } = await file.read(into, got, into.length - got, at + got)
    if (bytesRead === 0) break
    got += bytesRead
  }
  return got
}

/** SHA-256 of the first `bytes`, in hex. */
export async function digestFile(
  path: string,
  bytes: number,
  signal: AbortSignal,
  onBytes: OnBytes = () => {},
): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of readPieces(path, bytes, signal)) {
    hash.update(piece)
    onBytes(piece.length)
  }
  return hash.digest('hex')
}

/**
 * Writes `pieces` to a new file that only its owner can read, and syncs it. Returns their size and SHA-256 in hex. The error for a
 * full disk contains the path.
 */
export async function writeFileOf(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  onBytes: OnBytes = () => {},
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  await using file = await open(path, 'wx', 0o600)
  for await (const piece of pieces) {
    hash.update(piece)
    await file.writeFile(piece).catch((error: unknown) => refuse(path, error))
    bytes += piece.length
    onBytes(piece.length)
  }
  await file.sync().catch((error: unknown) => refuse(path, error))
  return { bytes, sha256: hash.digest('hex') }
}

/** Node's errors contain no path after a file was opened. */
function refuse(path: string, error: unknown): never {
  throw new Error(`cannot write ${path}: ${describeErrno(error)}`, { cause: error })
}

/** Makes the file names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}

/** Throws if a file was read with a different digest than before. */
export function mustMatch(sha256: string, expected: string, path: string): void {
  if (sha256 === expected) return
  throw new Error(`${path} was read twice with different bytes: check the disk, then try again`)
}

/** Error codes of `link` across file systems, without support for hard links, and above their limit. */
export const linkRefusals: readonly string[] = [
  'EACCES',
  'EMLINK',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPERM',
  'EXDEV',
]
