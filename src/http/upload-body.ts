// The body of an upload, chunk by chunk: counted, capped, and given up when nothing comes for a while. How long
// it takes altogether does not matter (contract-files 2.6).
// Tested by src/http/files.test.ts
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { NodeExchange } from './node-exchange.ts'

export type UploadLimits = {
  /** Null: no limit. */
  readonly bytesMax: number | null
  readonly idleMs: number
}

export class UploadBody implements AsyncIterable<Uint8Array> {
  /** Bytes read so far. */
  bytes = 0
  readonly #exchange: NodeExchange
  readonly #limits: UploadLimits
  readonly #clock: Clock

  constructor(exchange: NodeExchange, limits: UploadLimits, clock: Clock) {
    this.#exchange = exchange
    this.#limits = limits
    this.#clock = clock
  }

  /** Every byte of the body has been read, or there is none. */
  get ended(): boolean {
    const { request } = this.#exchange
    if (request.readableEnded || request.complete) return true
    const length = request.headers['content-length'] ?? '0'
    return request.headers['transfer-encoding'] === undefined && Number(length) === 0
  }

  /** Throws `too_large` for a declared length over the cap. */
  checkDeclared(): void {
    const declared = Number(this.#exchange.request.headers['content-length'] ?? '0')
    const { bytesMax } = this.#limits
    if (bytesMax !== null && declared > bytesMax) throw new Fault('too_large')
  }

  /**
   * Asks the caller for its body and yields it; nothing is read ahead. Throws `too_large` past the cap,
   * `body_deadline` when idle, `bad_params` when the caller hangs up. For one reader.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    this.#exchange.acceptBody()
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) {
      this.bytes += chunk.length
      const { bytesMax } = this.#limits
      if (bytesMax !== null && this.bytes > bytesMax) throw new Fault('too_large')
      yield chunk
    }
    // A client whose own source failed ends the body well and hangs up right after (contract-files 2.6):
    // let that be seen before anyone asks whether it is still there.
    await new Promise<void>((resolve) => setImmediate(resolve))
  }

  #next(): Promise<Uint8Array | null> {
    const { request } = this.#exchange
    if (request.readableEnded) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        stopTimer()
        request.pause()
        request.off('data', take).off('end', end).off('close', gone).off('error', gone)
        request.on('error', ignore)
      }
      const take = (chunk: Buffer): void => {
        settle()
        resolve(chunk)
      }
      const end = (): void => {
        settle()
        resolve(null)
      }
      const gone = (cause?: Error): void => {
        settle()
        reject(new Fault('bad_params', { detail: 'multipart: NextPart: EOF', cause }))
      }
      const stopTimer = this.#clock.after(this.#limits.idleMs, () => {
        settle()
        reject(new Fault('body_deadline'))
      })
      request.off('error', ignore)
      request.on('data', take).on('end', end).on('close', gone).on('error', gone)
      if (request.destroyed) gone()
      else request.resume()
    })
  }
}

function ignore(): void {}
