// JSON-RPC replies as text, members in the order clients and transcripts expect (contract-rpc 3.2, 5).
// Tested by src/http/rpc.test.ts
import { Fault } from '../base/fault.ts'
import type { RpcOutcome } from '../gateway/gateway.ts'

/** A backstop: whoever puts a caller's words in a message cuts them at 256 characters. */
const messageCharsMax = 1024

/** What a refusal of a whole request echoes: one error, or an array with one per call. */
export type RefusalForm = { readonly batch: boolean; readonly ids: readonly string[] }

/** When nothing is known of the body. */
export const unknownForm: RefusalForm = { batch: false, ids: ['null'] }

/** The `error` object. `bare` rows equal a node's, so they carry no `data`; `internal` names the request. */
function errorText(fault: Fault, requestId: string): string {
  const message = fault.message.slice(0, messageCharsMax)
  const head = `{"code":${fault.row.rpc},"message":${JSON.stringify(message)}`
  const data = dataOf(fault, requestId)
  return data === undefined ? head + '}' : `${head},"data":${JSON.stringify(data)}}`
}

function dataOf(fault: Fault, requestId: string): unknown {
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

/** The body that refuses a whole request. Never empty: a batch client must get an array. */
export function refusalBody(fault: Fault, form: RefusalForm, requestId: string): string {
  const error = errorText(fault, requestId)
  const ids = form.ids.length === 0 ? ['null'] : form.ids
  const replies = ids.map((id) => errorReply(id, error))
  return form.batch ? `[${replies.join(',')}]` : (replies[0] as string)
}

/** Renders outcomes within a total of `bytesMax`; what would go over becomes `response_too_large`. */
export class ReplyWriter {
  #bytesLeft: number
  readonly #requestId: string
  readonly #replies: string[] = []

  constructor(bytesMax: number, requestId: string) {
    this.#bytesLeft = bytesMax
    this.#requestId = requestId
  }

  /** Call in the order of items. `id` null: a notification, nothing is written. */
  add(id: string | null, outcome: RpcOutcome): void {
    if (id === null) return
    const reply = this.#render(id, outcome)
    this.#bytesLeft -= Buffer.byteLength(reply) + 1
    if (this.#bytesLeft >= 0) {
      this.#replies.push(reply)
      return
    }
    this.#bytesLeft = 0
    this.#replies.push(errorReply(id, errorText(new Fault('response_too_large'), this.#requestId)))
  }

  /** The whole body; empty when every item was a notification. */
  body(batch: boolean): string {
    if (this.#replies.length === 0) return ''
    return batch ? `[${this.#replies.join(',')}]` : (this.#replies[0] as string)
  }

  #render(id: string, outcome: RpcOutcome): string {
    if ('fault' in outcome) return errorReply(id, errorText(outcome.fault, this.#requestId))
    const result = JSON.stringify(outcome.result) as string | undefined
    return `{"jsonrpc":"2.0","id":${id},"result":${result ?? 'null'}}`
  }
}
