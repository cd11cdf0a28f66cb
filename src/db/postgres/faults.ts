// Converts errors of PostgreSQL and of its connections to Faults.
// Tested by src/db/postgres/faults.test.ts, src/db/postgres/postgres-rows.test.ts
import { Fault } from '../../base/fault.ts'
import { storageFault } from '../storage-triggers.ts'

/** SQLSTATE codes, and codes of Node if no reply arrived. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/
const errnoRegex = /^E(?!RR_)[A-Z_]+$/
/** Error messages of `pg`. */
const lossRegex = /^Connection terminated|^timeout expired$|^Query read timeout$|is not queryable$/

/**
 * The connection failed, or its server is stopping or not ready: an uncommitted transaction is lost, and another connection may
 * succeed.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Fault) return false
  const code = codeOf(error)
  if (code === '') return lossRegex.test(error.message)
  if (!sqlState.test(code)) return errnoRegex.test(code)
  // Connection exceptions; shutdown, crash, not ready; idle transaction ended; a standby, which accepts no writes.
  return /^08|^57P0|^25P03$|^25006$/.test(code)
}

/** A conflict with another transaction: a repeated one can succeed. */
export function isConflict(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(codeOf(error))
}

/** A Fault for expected errors, otherwise the error itself. */
export function toFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Fault) return error
  const code = codeOf(error)
  if (/^(?:53100|58030)$/.test(code)) return new Fault('no_space', { cause: error })
  if (/^XX00[12]$/.test(code)) {
    const detail = `cannot read the database: ${error.message}`
    return new Fault('damaged', { detail, cause: error })
  }
  if (isConflict(error)) return new Fault('overloaded', { cause: error })
  // Out of memory or connections; a statement or a lock took too long.
  if (/^53|^57014$|^55P03$/.test(code)) return new Fault('overloaded', { cause: error })
  if (code === '22021') {
    const detail = 'a text contains the character U+0000, which the database cannot store'
    return new Fault('bad_input', { detail, cause: error })
  }
  if (isConnectionLoss(error)) return away(error)
  return storageFault(error)
}

/** PostgreSQL cannot be reached. */
export function away(cause: unknown): Fault {
  return new Fault('overloaded', { detail: 'the database cannot be reached', cause })
}
