// Messages between the writer thread and other threads. Writes: one buffer, transferred instead of copied, that contains each SQL
// text once. Results: errors retain their code and detail.
// Tested by src/db/packed-writes.test.ts
import { Fault, type FaultCode } from '../base/fault.ts'
import type { Outcome } from './apply.ts'
import { NothingChanged, type SqlValue, type Statement } from './writer.ts'

/** The error of a failed write. */
type PackedError =
  | {
      readonly kind: 'fault'
      readonly code: FaultCode
      readonly detail: string | null
      readonly data: Fault['data']
      readonly because: string
    }
  | { readonly kind: 'nothing-changed'; readonly index: number }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string }

/** Outcomes of many writes. `done`: for each successful write its number, its number of statements, and their row counts. */
export type PackedOutcomes = {
  readonly done: Float64Array<ArrayBuffer>
  readonly failed: readonly { readonly id: number; readonly error: PackedError }[]
}

/** `done.buffer` may be transferred. */
export function packOutcomes(ids: readonly number[], outcomes: readonly Outcome[]): PackedOutcomes {
  const done: number[] = []
  const failed: { id: number; error: PackedError }[] = []
  for (const [index, id] of ids.entries()) {
    const outcome = outcomes[index] ?? { ok: false, error: new Error('no outcome') }
    if (outcome.ok) done.push(id, outcome.changes.length, ...outcome.changes)
    else failed.push({ id, error: packError(outcome.error) })
  }
  return { done: Float64Array.from(done), failed }
}

export function unpackOutcomes(
  { done, failed }: PackedOutcomes,
  report: (id: number, outcome: Outcome) => void,
): void {
  for (let at = 0; at < done.length;) {
    const end = at + 2 + (done[at + 1] ?? 0)
    report(done[at] ?? 0, { ok: true, changes: [...done.subarray(at + 2, end)] })
    at = end
  }
  for (const { id, error } of failed) report(id, { ok: false, error: unpackError(error) })
}

function packError(error: unknown): PackedError {
  if (error instanceof NothingChanged) return { kind: 'nothing-changed', index: error.index }
  if (error instanceof Fault) {
    return {
      kind: 'fault',
      code: error.code,
      detail: error.detailed ? error.message : null,
      data: error.data,
      because: error.cause instanceof Error ? error.cause.message : '',
    }
  }
  const bug = error instanceof Error ? error : new Error(String(error))
  return { kind: 'bug', message: bug.message, stack: bug.stack ?? '' }
}

function unpackError(packed: PackedError): Error {
  switch (packed.kind) {
    case 'nothing-changed':
      return new NothingChanged(packed.index)
    case 'fault': {
      const { code, detail, data, because } = packed
      return new Fault(code, {
        ...(detail === null ? {} : { detail }),
        ...(data === undefined ? {} : { data }),
        ...(because === '' ? {} : { cause: new Error(because) }),
      })
    }
    case 'bug':
      return Object.assign(new Error(packed.message), { stack: packed.stack })
  }
}

export type PackedWrites = {
  readonly sqls: readonly string[]
  /** End of each write in `bytes`. */
  readonly ends: readonly number[]
  readonly bytes: Uint8Array<ArrayBuffer>
}

export type WritePacker = {
  /** Copies values, so the caller may reuse its buffers immediately. Throws a TypeError for unsupported values. */
  add(statements: readonly Statement[]): void
  /** Returns the added writes and empties the packer. `bytes.buffer` may be transferred. */
  take(): PackedWrites
}

/** Tag in front of each value. */
const tags = { null: 0, int32: 1, double: 2, text: 3, blob: 4, bigint: 5 } as const
const noRows = 0xffff_ffff
const firstBytesMin = 4096
const firstBytesMax = 1024 * 1024
/** Maximum size of a statement's or value's header, without text or BLOB. */
const headBytes = 16

export function createWritePacker(): WritePacker {
  let bytes = new Uint8Array(0)
  let text = Buffer.from(bytes.buffer)
  let view = new DataView(bytes.buffer)
  let used = 0
  /** Expected size of the next message: that of the last one. */
  let expected = firstBytesMin
  let ends: number[] = []
  let sqls = new Map<string, number>()

  function makeRoom(more: number): void {
    if (used + more <= bytes.length) return
    const wanted = Math.max(expected, bytes.length * 2, used + more)
    const larger = new Uint8Array(Buffer.allocUnsafeSlow(wanted).buffer)
    larger.set(bytes.subarray(0, used))
    bytes = larger
    text = Buffer.from(bytes.buffer)
    view = new DataView(bytes.buffer)
  }

  function addCount(count: number): void {
    view.setUint32(used, count)
    used += 4
  }

  function addText(tag: number, value: string): void {
    makeRoom(headBytes + value.length * 3)
    view.setUint8(used, tag)
    const length = text.write(value, used + 5, 'utf8')
    view.setUint32(used + 1, length)
    used += 5 + length
  }

  function addNumber(value: number): void {
    const small = Object.is(value, value | 0)
    view.setUint8(used, small ? tags.int32 : tags.double)
    if (small) view.setInt32(used + 1, value)
    else view.setFloat64(used + 1, value)
    used += small ? 5 : 9
  }

  function addValue(value: SqlValue): void {
    makeRoom(headBytes)
    if (typeof value === 'number') return addNumber(value)
    if (value instanceof Uint8Array) {
      makeRoom(headBytes + value.length)
      view.setUint8(used, tags.blob)
      view.setUint32(used + 1, value.length)
      bytes.set(value, used + 5)
      used += 5 + value.length
      return
    }
    if (value === null) {
      view.setUint8(used, tags.null)
      used += 1
      return
    }
    if (typeof value === 'string') return addText(tags.text, value)
    if (typeof value === 'bigint') return addText(tags.bigint, value.toString())
    throw new TypeError(`not an SQL value: ${typeof value}`)
  }

  function addValues(values: readonly SqlValue[]): void {
    makeRoom(headBytes)
    addCount(values.length)
    for (const value of values) addValue(value)
  }

  function addStatement({ sql, parameters, rows, require }: Statement): void {
    let index = sqls.get(sql)
    if (index === undefined) {
      index = sqls.size
      sqls.set(sql, index)
    }
    makeRoom(headBytes)
    addCount(index)
    addCount(require === 'change' ? 1 : 0)
    addCount(rows === undefined ? noRows : rows.length)
    addValues(parameters)
    for (const row of rows ?? []) addValues(row)
  }

  return {
    add(statements) {
      const before = used
      try {
        makeRoom(headBytes)
        addCount(statements.length)
        for (const statement of statements) addStatement(statement)
      } catch (error) {
        used = before
        throw error
      }
      ends.push(used)
    },
    take() {
      const packed = { sqls: [...sqls.keys()], ends, bytes: bytes.subarray(0, used) }
      bytes = new Uint8Array(0)
      expected = Math.min(Math.max(used, firstBytesMin), firstBytesMax)
      used = 0
      ends = []
      sqls = new Map()
      return packed
    },
  }
}

/** Size of the write at `index` in bytes. */
export function packedBytes({ ends }: PackedWrites, index: number): number {
  return (ends[index] ?? 0) - (ends[index - 1] ?? 0)
}

/** The write at `index`. Its BLOBs are views. */
export function unpackWrite({ sqls, ends, bytes }: PackedWrites, index: number): Statement[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = ends[index - 1] ?? 0

  function takeCount(): number {
    at += 4
    return view.getUint32(at - 4)
  }

  function takeBlob(): Uint8Array {
    const length = takeCount()
    at += length
    return bytes.subarray(at - length, at)
  }

  function takeText(): string {
    const length = takeCount()
    at += length
    return Buffer.from(bytes.buffer, bytes.byteOffset + at - length, length).toString('utf8')
  }

  function takeValue(): SqlValue {
    const tag = view.getUint8(at)
    at += 1
    switch (tag) {
      case tags.int32:
        at += 4
        return view.getInt32(at - 4)
      case tags.double:
        at += 8
        return view.getFloat64(at - 8)
      case tags.blob:
        return takeBlob()
      case tags.text:
        return takeText()
      case tags.bigint:
        return BigInt(takeText())
      default:
        return null
    }
  }

  function takeValues(): SqlValue[] {
    const values: SqlValue[] = []
    for (let left = takeCount(); left > 0; left -= 1) values.push(takeValue())
    return values
  }

  function takeStatement(): Statement {
    const sql = sqls[takeCount()] ?? ''
    const required = takeCount() === 1
    const rowCount = takeCount()
    const parameters = takeValues()
    const rows: SqlValue[][] = []
    if (rowCount !== noRows) for (let row = 0; row < rowCount; row += 1) rows.push(takeValues())
    return {
      sql,
      parameters,
      ...(rowCount === noRows ? {} : { rows }),
      ...(required ? { require: 'change' as const } : {}),
    }
  }

  const statements: Statement[] = []
  for (let left = takeCount(); left > 0; left -= 1) statements.push(takeStatement())
  return statements
}
