// One string for a call, equal exactly when method and params are: calls that differ must never share a flight
// (verification.md 3, T18). Each value is written with its type and its length.
import { createHash } from 'node:crypto'
import type { Params } from '../node/json-rpc-client.ts'

/** Longer keys are replaced by their sha256, which nobody can make collide. */
const keyLengthMax = 1024

export function shareKey(method: string, params: Params): string {
  const written = 'json' in params ? `j${sized(params.json)}` : write(params)
  const key = sized(method) + written
  return key.length <= keyLengthMax ? key : createHash('sha256').update(key).digest('base64')
}

/** Of a JSON value. What JSON cannot say (undefined, functions) is written as null, as JSON.stringify does in lists. */
function write(value: unknown): string {
  if (typeof value === 'string') return `s${sized(value)}`
  if (typeof value === 'number') return `d${JSON.stringify(value)};`
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (Array.isArray(value)) return `a${value.length}:${value.map(write).join('')}`
  if (typeof value !== 'object' || value === null) return 'n'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `o${members.length}:${members.map(([name, member]) => sized(name) + write(member)).join('')}`
}

function sized(text: string): string {
  return `${text.length}:${text}`
}
