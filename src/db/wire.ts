// What crosses the border between a thread and the writer thread. All BLOBs of a write travel in one
// buffer that is moved, not copied; errors keep their code, detail and index.
// Tested by src/db/thread-writer.test.ts
import { Fault, type FaultCode } from '../base/fault.ts'
import type { Outcome } from './apply.ts'
import { NothingChanged, type SqlValue, type Statement } from './writer.ts'

type Span = { readonly at: number; readonly end: number }
type PackedValue = Exclude<SqlValue, Uint8Array> | Span

type PackedStatement = {
  readonly sql: string
  readonly parameters: readonly PackedValue[]
  readonly rows: readonly (readonly PackedValue[])[] | null
  readonly required: boolean
}

export type PackedWrite = {
  readonly statements: readonly PackedStatement[]
  readonly blobs: Uint8Array<ArrayBuffer>
}

/** Many in one: the BLOBs of each begin at its base. */
export type JoinedWrites = {
  readonly writes: readonly (readonly PackedStatement[])[]
  readonly bases: readonly number[]
  readonly blobs: Uint8Array<ArrayBuffer>
}

/** `blobs.buffer` may be transferred. */
export function joinWrites(packed: readonly PackedWrite[]): JoinedWrites {
  const [only] = packed
  const writes = packed.map(({ statements }) => statements)
  if (packed.length === 1 && only !== undefined) return { writes, bases: [0], blobs: only.blobs }
  const blobs = new Uint8Array(packed.reduce((sum, each) => sum + each.blobs.length, 0))
  let at = 0
  const bases = packed.map((each) => {
    const base = at
    blobs.set(each.blobs, base)
    at += each.blobs.length
    return base
  })
  return { writes, bases, blobs }
}

/** Copies the BLOBs, so the caller may reuse its buffers at once. */
export function packWrite(statements: readonly Statement[]): PackedWrite {
  const blobs = new Uint8Array(blobBytes(statements))
  let at = 0
  const pack = (value: SqlValue): PackedValue => {
    if (!(value instanceof Uint8Array)) return value
    blobs.set(value, at)
    const span = { at, end: at + value.length }
    at = span.end
    return span
  }
  const packed = statements.map(({ sql, parameters, rows, require }) => ({
    sql,
    parameters: parameters.map(pack),
    rows: rows === undefined ? null : rows.map((row) => row.map(pack)),
    required: require === 'change',
  }))
  return { statements: packed, blobs }
}

/** `index`: which of them. The BLOBs are views. */
export function unpackWrite(joined: JoinedWrites, index: number): readonly Statement[] {
  const { writes, bases, blobs } = joined
  const [statements = [], base = 0] = [writes[index], bases[index]]
  const unpack = (value: PackedValue): SqlValue =>
    typeof value === 'object' && value !== null
      ? blobs.subarray(base + value.at, base + value.end)
      : value
  return statements.map(({ sql, parameters, rows, required }) => ({
    sql,
    parameters: parameters.map(unpack),
    ...(rows === null ? {} : { rows: rows.map((row) => row.map(unpack)) }),
    ...(required ? { require: 'change' as const } : {}),
  }))
}

export function blobBytes(statements: readonly Statement[]): number {
  let total = 0
  const count = (values: readonly SqlValue[]): void => {
    for (const value of values) if (value instanceof Uint8Array) total += value.length
  }
  for (const { parameters, rows = [] } of statements) {
    count(parameters)
    for (const row of rows) count(row)
  }
  return total
}

export type PackedOutcome =
  | { readonly kind: 'done'; readonly changes: readonly number[] }
  | {
      readonly kind: 'fault'
      readonly code: FaultCode
      readonly detail: string | null
      readonly data: Fault['data']
      readonly because: string
    }
  | { readonly kind: 'nothing-changed'; readonly index: number }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string }

export function packOutcome(outcome: Outcome): PackedOutcome {
  if (outcome.ok) return { kind: 'done', changes: outcome.changes }
  const { error } = outcome
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

export function unpackOutcome(packed: PackedOutcome): Outcome {
  switch (packed.kind) {
    case 'done':
      return { ok: true, changes: packed.changes }
    case 'nothing-changed':
      return { ok: false, error: new NothingChanged(packed.index) }
    case 'fault': {
      const { code, detail, data, because } = packed
      const error = new Fault(code, {
        ...(detail === null ? {} : { detail }),
        ...(data === undefined ? {} : { data }),
        ...(because === '' ? {} : { cause: new Error(because) }),
      })
      return { ok: false, error }
    }
    case 'bug':
      return { ok: false, error: Object.assign(new Error(packed.message), { stack: packed.stack }) }
  }
}
