// A change and its conditions in one transaction: if a condition fails, no row is written and the caller gets the
// reason.
// Tested by src/access/people/invitations.test.ts
import { NothingChanged, type Statement, type Writer } from '../../db/writer.ts'

/**
 * Statements marked `require: 'change'` are conditions; `why` returns the error for the index of the failed one. Other
 * errors are rethrown.
 */
export async function conditionalWrite(
  writer: Writer,
  statements: readonly Statement[],
  why: (index: number) => Error,
): Promise<readonly number[]> {
  try {
    return await writer.write(statements)
  } catch (error) {
    if (error instanceof NothingChanged) throw why(error.index)
    throw error
  }
}
