// One string per call, equal exactly if method and params are: different calls must never share one execution.
// Each value is written with its type and its length.
import { createHash } from 'node:crypto'
import type { Params } from '../node/json-rpc-client.ts'

/** Longer keys are replaced by their SHA-256, which is collision resistant. */
const keyLengthMax = 1024

export function shareKey(method: string, params: Params): string {
  const written = 'json' in params ? `j${sized(params.json)}` : write(params)
  const key = sized(method) + written
  return key.length <= keyLengthMax ? key : createHash('sha256').update(key).digest('base64')
}

/** Of a JSON value. Values outside JSON (undefined, functions) become null, as JSON.stringify does in lists. */
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
