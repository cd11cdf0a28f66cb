// A change with its condition in one durable write: when a condition does not hold, nothing is written, and whoever
// asked is told why.
// Tested by src/access/people/invitations.test.ts
import { NothingChanged, type Statement, type Writer } from '../../db/writer.ts'

/**
 * Statements marked `require: 'change'` are conditions; `why` gives the error of the one that changed nothing, by its
 * place in the list. Other errors pass.
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
