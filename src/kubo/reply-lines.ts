// Lines of a reply, collected into few writes: as values arrive, and in batches.
// Tested by src/kubo/buffered-lines.test.ts
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { kuboLine } from '../codec/go-json.ts'

const memoryBytesMax = 1_048_576
const readBytes = 65_536

export class BufferedLines implements AsyncDisposable {
  #waiting: string[] = []
  #waitingBytes = 0
  #file: FileHandle | null = null
  readonly #memoryBytesMax: number

  constructor(bytesMax = memoryBytesMax) {
    this.#memoryBytesMax = bytesMax
  }

  /** Adds one line, its line feed included. */
  async add(line: string): Promise<void> {
    this.#waiting.push(line)
    this.#waitingBytes += Buffer.byteLength(line)
    if (this.#waitingBytes <= this.#memoryBytesMax) return
    this.#file ??= await openNameless()
    await this.#file.appendFile(this.#waiting.join(''))
    this.#waiting = []
    this.#waitingBytes = 0
  }

  /** Everything added, in order. */
  async *read(): AsyncGenerator<Uint8Array> {
    if (this.#file !== null) {
      for (let at = 0; ;) {
        const { bytesRead, buffer } = await this.#file.read(
          Buffer.alloc(readBytes),
          0,
          readBytes,
          at,
        )
        if (bytesRead === 0) break
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    }
    if (this.#waiting.length > 0) yield Buffer.from(this.#waiting.join(''))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `cairn-reply-${randomUUID()}`)
  const file = await open(path, 'ax+', 0o600)
  await unlink(path)
  return file
}

/** Then a piece goes out, whether more lines are there or not. */
const pieceCharsMax = 32 * 1024

/** Lines that came before an error go out before it is thrown. `lineOf`: a value with its line feed, '' for none. */
export async function* batchedLines(
  values: AsyncIterable<unknown>,
  lineOf: (value: unknown) => string = kuboLine,
): AsyncGenerator<Uint8Array> {
  const iterator = values[Symbol.asyncIterator]()
  let lines = ''
  /** Resolves in the next turn of the event loop after a first line came. */
  let turn: Promise<null> | null = null
  let waiting = false

  function takeLines(): Uint8Array {
    const piece = Buffer.from(lines)
    lines = ''
    turn = null
    return piece
  }

  try {
    for (;;) {
      const next = iterator.next()
      waiting = true
      let step = turn === null ? await next : await Promise.race([next, turn])
      if (step === null) {
        yield takeLines()
        step = await next
      }
      waiting = false
      if (step.done === true) break
      lines += lineOf(step.value)
      if (lines !== '') turn ??= setImmediate(null)
      if (lines.length >= pieceCharsMax) yield takeLines()
    }
  } catch (thrown) {
    waiting = false
    if (lines !== '') yield takeLines()
    throw thrown
  } finally {
    // A consumer that left does not wait for a value that may never come.
    const ended = iterator.return?.()
    if (waiting) ended?.catch(() => undefined)
    else await ended
  }
  if (lines !== '') yield takeLines()
}
