// Writes a change and its conditions in one transaction: if a condition fails, no row is written and the caller gets the reason.
// Tested by src/access/people/invitations.test.ts
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'

/**
 * Statements marked `require: 'change'` are conditions; `why` returns the error for the index of the failed one. Other errors are
 * rethrown.
 */
export async function conditionalWrite(
  rows: Pick<Rows, 'write'>,
  statements: readonly Statement[],
  why: (index: number) => Error | Promise<Error>,
): Promise<readonly number[]> {
  try {
    return await rows.write(statements)
  } catch (error) {
    if (error instanceof NothingChanged) throw await why(error.index)
    throw error
  }
}
