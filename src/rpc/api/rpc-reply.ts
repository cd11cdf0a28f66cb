// JSON-RPC replies as text, members in the order clients and transcripts expect.
// Tested by src/rpc/api/rpc-api.test.ts
import { Fault } from '../../base/fault.ts'
import type { RpcOutcome } from '../rpc-pipeline.ts'
import { rollbackAll } from '../revocable.ts'

/** Last limit: code that quotes a client's text in a message truncates it to 256 characters. */
const messageCharsMax = 1024

/** What a refusal of a whole request echoes: one error, or an array with one per call. */
export type RefusalForm = { readonly batch: boolean; readonly ids: readonly string[] }

/** When nothing is known of the body. */
export const unknownForm: RefusalForm = { batch: false, ids: ['null'] }

/** The `error` object. `bare` rows equal a node's, so they carry no `data`; `internal` names the request. */
function errorText(fault: Fault, requestId: string): string {
  const message = fault.message.slice(0, messageCharsMax)
  const head = `{"code":${fault.rpcCode},"message":${JSON.stringify(message)}`
  const data = dataOf(fault, requestId)
  return data === undefined ? head + '}' : `${head},"data":${JSON.stringify(data)}}`
}

function dataOf(fault: Fault, requestId: string): unknown {
  if (fault.said !== undefined) return fault.said.data
  // The revert bytes as hex: clients decode them.
  if (typeof fault.data === 'string') return fault.data
  if (fault.row.bare === true) return undefined
  if (fault.code === 'reverted') return undefined
  if (fault.code === 'internal') return { code: fault.code, requestId }
  return { code: fault.code, ...fault.data }
}

function errorReply(id: string, error: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`
}

/** `bytes`: the length of `text` in UTF-8. */
export type RpcBody = { readonly text: string; readonly bytes: number }

/** The body that refuses a whole request. Never empty: a batch client must get an array. */
export function refusalBody(fault: Fault, form: RefusalForm, requestId: string): RpcBody {
  const error = errorText(fault, requestId)
  const ids = form.ids.length === 0 ? ['null'] : form.ids
  const replies = ids.map((id) => errorReply(id, error))
  const text = form.batch ? `[${replies.join(',')}]` : (replies[0] as string)
  return { text, bytes: Buffer.byteLength(text) }
}

/** Renders outcomes within a total of `bytesMax`; what would go over becomes `response_too_large`. */
export class ReplyWriter {
  readonly #bytesMax: number
  readonly #requestId: string
  #text = ''
  /** Of `#text`, in UTF-8. */
  #bytes = 0
  #full = false

  constructor(bytesMax: number, requestId: string) {
    this.#bytesMax = bytesMax
    this.#requestId = requestId
  }

  /** Call in the order of items. `id` null: a notification, nothing is written. */
  add(id: string | null, outcome: RpcOutcome): void {
    if (id === null) {
      rollbackAll([outcome])
      return
    }
    const reply = this.#full ? this.#tooLarge(id) : this.#render(id, outcome)
    if (this.#full) rollbackAll([outcome])
    const bytes = this.#full ? Buffer.byteLength(reply) : bytesOf(id, outcome, reply)
    if (!this.#full && this.#bytes + bytes + 1 > this.#bytesMax) {
      this.#full = true
      this.add(id, outcome)
      return
    }
    if (this.#bytes > 0) {
      this.#text += ','
      this.#bytes += 1
    }
    this.#text += reply
    this.#bytes += bytes
  }

  /** The whole body; empty when every item was a notification. */
  body(batch: boolean): RpcBody {
    if (!batch || this.#bytes === 0) return { text: this.#text, bytes: this.#bytes }
    return { text: `[${this.#text}]`, bytes: this.#bytes + 2 }
  }

  #render(id: string, outcome: RpcOutcome): string {
    if ('fault' in outcome) return errorReply(id, errorText(outcome.fault, this.#requestId))
    const result = 'text' in outcome ? outcome.text : asJson(outcome.result)
    const proof = outcome.proof === undefined ? '' : `,"proof":${asJson(outcome.proof)}`
    return `${before}${id}${between}${result}${proof}}`
  }

  #tooLarge(id: string): string {
    return errorReply(id, errorText(new Fault('response_too_large'), this.#requestId))
  }
}

const before = '{"jsonrpc":"2.0","id":'
const between = ',"result":'
const frameBytes = before.length + between.length + 1

/** Of `reply` in UTF-8, without a look at it when the outcome says so: counting puts its parts together. */
function bytesOf(id: string, outcome: RpcOutcome, reply: string): number {
  if (!('text' in outcome) || outcome.proof !== undefined) return Buffer.byteLength(reply)
  return frameBytes + Buffer.byteLength(id) + outcome.bytes
}

function asJson(result: unknown): string {
  return (JSON.stringify(result) as string | undefined) ?? 'null'
}
