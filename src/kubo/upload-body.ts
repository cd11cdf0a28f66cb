// The body of an upload: counted, limited in size, and ended after an idle time. Its multipart parts become the entries of the
// upload. The total time is not limited.
// Tested by src/kubo/ipfs-api.test.ts
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { RequestBodyStream, TakeChunk } from '../http/request-body-stream.ts'
import type { NodeExchange } from '../http/node-exchange.ts'
import type { UploadEntry } from '../ipfs/import/upload-entry.ts'
import type { Part } from './multipart.ts'

export type UploadLimits = {
  /** Null: no limit. */
  readonly bytesMax: number | null
  readonly idleMs: number
}

/** Minimum size of a chunk that is assumed not to share its buffer, if it also fills the buffer. */
const ownMemoryBytes = 16_384

export class UploadBody implements RequestBodyStream {
  /** Bytes read so far. */
  bytes = 0
  /** Called with the size of each chunk before the consumer. An error that it throws ends the body. */
  onChunk: ((bytes: number) => void) | null = null
  readonly #exchange: NodeExchange
  readonly #limits: UploadLimits
  readonly #clock: Clock
  /** Time at which the last chunk arrived. */
  #arrived = 0

  constructor(exchange: NodeExchange, limits: UploadLimits, clock: Clock) {
    this.#exchange = exchange
    this.#limits = limits
    this.#clock = clock
  }

  /** Whether every byte of the body has been read, or there is no body. */
  get ended(): boolean {
    const { request } = this.#exchange
    if (request.readableEnded || request.complete) return true
    const length = request.headers['content-length'] ?? '0'
    return request.headers['transfer-encoding'] === undefined && Number(length) === 0
  }

  /** Content-Length; null if the client sent none. */
  get declaredBytes(): number | null {
    const length = this.#exchange.request.headers['content-length']
    return length === undefined ? null : Number(length)
  }

  /** Throws `too_large` if the declared length exceeds the limit. */
  checkDeclared(): void {
    const { bytesMax } = this.#limits
    if (bytesMax !== null && (this.declaredBytes ?? 0) > bytesMax) throw new Fault('too_large')
  }

  /**
   * Requests the body from the client; nothing is read ahead. Throws `too_large` past the limit, `body_deadline` when idle,
   * `bad_params` if the client disconnects. Only one consumer at a time.
   */
  async feed(consume: TakeChunk): Promise<boolean> {
    this.#exchange.acceptBody()
    if (!this.#exchange.request.readableEnded && (await this.#push(consume))) return true
    // A client whose own source failed ends the body correctly and disconnects immediately after: lets that event arrive before the
    // connection is checked.
    await new Promise<void>((resolve) => setImmediate(resolve))
    return false
  }

  release(chunk: Uint8Array): void {
    const { buffer } = chunk
    // A small chunk may share its memory with others.
    if (chunk.length < ownMemoryBytes || buffer.byteLength !== chunk.length) return
    if (buffer instanceof ArrayBuffer) buffer.transfer(0)
  }

  #push(consume: TakeChunk): Promise<boolean> {
    const { request } = this.#exchange
    return new Promise((resolve, reject) => {
      let stopTimer = this.#whenIdle(() => stop(new Fault('body_deadline')))
      /** Whether the consumer is still processing a chunk. */
      let taking = false
      let failed: Error | null = null

      const settle = (): void => {
        stopTimer()
        request.pause()
        request
          .off('data', pushed)
          .off('end', ended)
          .off('close', onDisconnect)
          .off('error', onDisconnect)
        request.on('error', ignore)
      }
      const stop = (error: Error): void => {
        failed ??= error
        // The last chunk may still be being written to disk: waits for it.
        if (taking) return
        settle()
        reject(failed)
      }
      const go = (more: boolean): void => {
        if (more) return
        settle()
        resolve(true)
      }
      const pushed = (chunk: Buffer): void => {
        this.bytes += chunk.length
        this.#arrived = this.#clock.monotonic()
        try {
          const { bytesMax } = this.#limits
          if (bytesMax !== null && this.bytes > bytesMax) throw new Fault('too_large')
          this.onChunk?.(chunk.length)
          const verdict = consume(chunk)
          if (typeof verdict === 'boolean') go(verdict)
          else void awaitVerdict(verdict)
        } catch (thrown) {
          stop(thrown as Error)
        }
      }
      const awaitVerdict = async (verdict: Promise<boolean>): Promise<void> => {
        request.pause()
        stopTimer()
        taking = true
        let more = false
        try {
          more = await verdict
        } catch (thrown) {
          failed = thrown as Error
        }
        taking = false
        if (failed !== null) return stop(failed)
        stopTimer = this.#whenIdle(() => stop(new Fault('body_deadline')))
        go(more)
        if (more) request.resume()
      }
      const ended = (): void => {
        settle()
        resolve(false)
      }
      const onDisconnect = (cause?: Error): void => {
        stop(new Fault('bad_params', { detail: 'multipart: NextPart: EOF', cause }))
      }
      request.off('error', ignore)
      request
        .on('data', pushed)
        .on('end', ended)
        .on('close', onDisconnect)
        .on('error', onDisconnect)
      if (request.destroyed) onDisconnect()
      else request.resume()
    })
  }

  /** Calls `run` when no chunk has arrived for `idleMs`; uses one timer for any number of chunks. */
  #whenIdle(run: () => void): () => void {
    const { idleMs } = this.#limits
    this.#arrived = this.#clock.monotonic()
    const look = (): void => {
      const leftMs = this.#arrived + idleMs - this.#clock.monotonic()
      if (leftMs <= 0) run()
      else stop = this.#clock.after(leftMs, look)
    }
    let stop = this.#clock.after(idleMs, look)
    return () => stop()
  }
}

function ignore(): void {}

const targetBytesMax = 4096

/**
 * Yields one entry per part, in order. File contents are streams. Throws the errors of the parts, `bad_params` for an invalid link
 * target.
 */
export async function* uploadEntries(parts: AsyncIterable<Part>): AsyncGenerator<UploadEntry> {
  for await (const { head, content } of parts) {
    const { kind, ...declared } = head
    if (kind === 'file') yield { kind, ...declared, content }
    else if (kind === 'directory') yield { kind, ...declared }
    else yield { kind, ...declared, target: await readText(content, targetBytesMax) }
  }
}

/** The content as UTF-8 text. Throws `bad_params` over `bytesMax`. */
export async function readText(
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > bytesMax) {
      throw new Fault('bad_params', { detail: `part is over ${bytesMax} bytes` })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
