// Parses JSON-RPC 2.0 requests: single or batch, each with the text of its id as received. A scan first limits depth and
// number of items, because JSON.parse does not. The pipeline checks methods and params.
import { isUtf8 } from 'node:buffer'
import { Fault } from '../../base/fault.ts'
import type { RpcItem } from '../rpc-pipeline.ts'

/** `id`: the JSON text to echo; null for a notification, which gets no reply. */
type EnvelopeEntry = { readonly id: string | null; readonly item: RpcItem | Fault }

export type Envelope = {
  readonly batch: boolean
  readonly entries: readonly EnvelopeEntry[]
  /** The fault that refuses the whole batch, before any of its calls runs. */
  readonly refusal: Fault | null
}

const methodCharsMax = 2048

/**
 * Parses a body. An invalid item becomes a `bad_envelope` or `bad_params` in its entry; `[]` counts as one invalid item outside a
 * batch. Throws `bad_json` if the body is not JSON in UTF-8 of at most 64 levels.
 */
export function parseEnvelope(bytes: Uint8Array, batchItemsMax: number): Envelope {
  const scan = scanJson(bytes)
  if (scan.items > scannedItemsMax) {
    // Parses only the first call. As in geth, the reply is one error with the id of that call.
    const first = parseText(bytes.subarray(...scan.first), false)
    return {
      batch: true,
      entries: [readEntry(first.value, first.sources)],
      refusal: batchTooLarge(),
    }
  }
  const { value, sources } = parseText(bytes, scan.plain)
  if (!Array.isArray(value)) {
    return { batch: false, entries: [readEntry(value, sources)], refusal: null }
  }
  if (value.length === 0) {
    const item = new Fault('bad_envelope', { detail: 'empty batch' })
    return { batch: false, entries: [{ id: 'null', item }], refusal: null }
  }
  return {
    batch: true,
    entries: value.map((item: unknown) => readEntry(item, sources)),
    refusal: value.length > batchItemsMax ? batchTooLarge() : null,
  }
}

function batchTooLarge(): Fault {
  return new Fault('bad_envelope', { detail: 'batch too large' })
}

/** Source texts of `id` members, by the object that contains them; null if JSON.stringify gives the same texts. */
type Sources = ReadonlyMap<unknown, string> | null

type Parsed = { readonly value: unknown; readonly sources: Sources }

function parseText(bytes: Uint8Array, plain: boolean): Parsed {
  if (!isUtf8(bytes)) throw new Fault('bad_json')
  const buffer =
    bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    if (plain && !hasUnsafeId(value)) return { value, sources: null }
    return parseWithSources(text)
  } catch (cause) {
    throw new Fault('bad_json', { cause })
  }
}

/** Takes six times as long as a plain parse, so it runs only for bodies with an escape, a fraction or a huge number. */
function parseWithSources(text: string): Parsed {
  const sources = new Map<unknown, string>()
  function note(
    this: unknown,
    name: string,
    member: unknown,
    // Third argument since V8 11.4 (TC39 JSON.parse source text access); absent from TypeScript's lib.
    context?: { readonly source?: string },
  ): unknown {
    if (name === 'id' && context?.source !== undefined) sources.set(this, context.source)
    return member
  }
  const value: unknown = JSON.parse(text, note)
  return { value, sources }
}

/** True if a client sent a number as id that JSON.parse changes: above 2^53, or `-0`. */
function hasUnsafeId(value: unknown): boolean {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  return items.some((item) => {
    const id = isObject(item) ? item['id'] : null
    return typeof id === 'number' && (!Number.isSafeInteger(id) || Object.is(id, -0))
  })
}

function readEntry(value: unknown, sources: Sources): EnvelopeEntry {
  if (!isObject(value)) return { id: 'null', item: new Fault('bad_envelope') }
  const sent = Object.hasOwn(value, 'id')
  const id = value['id']
  if (typeof id === 'object' && id !== null) return { id: 'null', item: new Fault('bad_envelope') }
  const idText = sent ? (sources?.get(value) ?? JSON.stringify(id)) : null
  const { jsonrpc, method, params } = value
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    return { id: idText ?? 'null', item: new Fault('bad_envelope') }
  }
  return { id: idText, item: readItem(method, params) }
}

function readItem(method: string, params: unknown): RpcItem | Fault {
  if (method.length > methodCharsMax) {
    const detail = `method name too long: ${method.length} > ${methodCharsMax}`
    return new Fault('bad_envelope', { detail })
  }
  if (params === undefined || params === null) return { method, params: [] }
  if (!Array.isArray(params)) return new Fault('bad_params', { detail: 'non-array args' })
  return { method, params }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const depthMax = 64
/** geth's limit. Cairn refuses a larger batch without parsing its items. */
export const scannedItemsMax = 1000

/** Facts about a body before it is parsed; the JSON may still be invalid in other ways. */
export type Scan = {
  /** The first byte that is not whitespace is `[`. */
  readonly array: boolean
  /** Items of the top-level array; `scannedItemsMax` + 1: the array has more, and the scan stopped. */
  readonly items: number
  /** Byte range of the first item of an array; the end is exclusive. */
  readonly first: readonly [from: number, to: number]
  /** No string has an escape and no number a fraction or exponent, so JSON.stringify prints each value as the client sent it. */
  readonly plain: boolean
}

const quote = 0x22
const backslash = 0x5c

/** Throws `bad_json` for a depth over 64 or an empty body. Takes linear time and constant memory. */
export function scanJson(bytes: Uint8Array): Scan {
  const start = skipBlanks(bytes)
  if (start === bytes.length) throw new Fault('bad_json')
  const array = bytes[start] === 0x5b
  let depth = 0
  let commas = 0
  let filled = false
  let firstEnd = -1
  let plain = true
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === quote) {
      if (depth === 1) filled = true
      for (at++; at < bytes.length && bytes[at] !== quote; at++) {
        if (bytes[at] === backslash) {
          plain = false
          at++
        }
      }
    } else if (byte === 0x5b || byte === 0x7b) {
      if (depth === 1) filled = true
      if (++depth > depthMax) throw new Fault('bad_json')
    } else if (byte === 0x5d || byte === 0x7d) {
      if (--depth <= 0 && firstEnd < 0) firstEnd = at
    } else if (byte === 0x2c) {
      if (depth === 1 && array) {
        if (commas === 0) firstEnd = at
        if (++commas >= scannedItemsMax) {
          return { array, items: scannedItemsMax + 1, first: [start + 1, firstEnd], plain }
        }
      }
    } else if (byte > 0x20) {
      if (depth === 1) filled = true
      // A fraction or an exponent: `.`, `E`, or an `e` that follows a digit (not the one in `true`).
      if (byte === 0x2e || byte === 0x45 || (byte === 0x65 && isDigit(bytes[at - 1]))) plain = false
    }
  }
  const items = array && filled ? commas + 1 : 0
  return { array, items, first: [start + 1, firstEnd < 0 ? bytes.length : firstEnd], plain }
}

/** True if the first byte that is not whitespace opens an array. A truncated body shows no more than that. */
export function opensArray(bytes: Uint8Array): boolean {
  return bytes[skipBlanks(bytes)] === 0x5b
}

function skipBlanks(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length && isBlank(bytes[at] as number)) at++
  return at
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}
