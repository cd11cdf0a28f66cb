// The refusal of one JSON-RPC argument, in the words of go-ethereum's rpc and hexutil packages.
// Tested by src/rpc/params/params.test.ts
import { Fault } from '../../base/fault.ts'

const shownCharactersMax = 256

/** `invalid argument <position>: <text>`. */
export function refuseArgument(position: number, text: string): Fault {
  return new Fault('bad_params', { detail: `invalid argument ${position}: ${text}` })
}

/** The caller's own text inside a message: cut at 256 characters, quoted and JSON-escaped. */
export function quoteForMessage(text: string): string {
  return JSON.stringify(text.slice(0, shownCharactersMax))
}

/** What encoding/json calls the type of a JSON value. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** encoding/json's text for a value of the wrong kind; `into` is `value` or a struct field's name. */
export function wrongType(what: string, goType: string, field?: string): string {
  const into = field === undefined ? 'value' : `struct field ${field}`
  return `json: cannot unmarshal ${what} into Go ${into} of type ${goType}`
}
