// Converts values of PostgreSQL to SQLite's: numbers for integers and sums, 0 and 1 for booleans, Uint8Array for bytes.
// Tested by src/db/postgres/postgres-rows.test.ts
import type { CustomTypesConfig } from 'pg'

const bool = 16
const bytea = 17
const numbers = new Set([20, 21, 23, 26, 700, 701, 1700])

type Parse = (text: string) => unknown

const toBytes: Parse = (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'))
const toBit: Parse = (text) => (text === 't' ? 1 : 0)
const toText: Parse = (text) => text

/** All replies are text. Integers beyond 2^53 do not occur. */
export const rowTypes = {
  getTypeParser(oid: number): Parse {
    if (numbers.has(oid)) return Number
    if (oid === bytea) return toBytes
    return oid === bool ? toBit : toText
  },
} as CustomTypesConfig
