// Values as lines in pieces of bytes: lines that are there together go out together, since a piece of its own
// for each of a hundred thousand costs more than making them; and no line waits for the next.
// Tested by src/kubo/batched-lines.test.ts
import { setImmediate } from 'node:timers/promises'
import { kuboLine } from '../codec/go-json.ts'

/** Then a piece goes out, whether more lines are there or not. */
const pieceCharsMax = 32 * 1024

/** Lines that came before an error go out before it is thrown. `lineOf`: a value with its line feed, '' for none. */
export async function* batchedLines(
  values: AsyncIterable<unknown>,
  lineOf: (value: unknown) => string = kuboLine,
): AsyncGenerator<Uint8Array> {
  const iterator = values[Symbol.asyncIterator]()
  let lines = ''
  /** Resolves in the next turn of the event loop after a first line came. */
  let turn: Promise<null> | null = null
  let waiting = false

  function takeLines(): Uint8Array {
    const piece = Buffer.from(lines)
    lines = ''
    turn = null
    return piece
  }

  try {
    for (;;) {
      const next = iterator.next()
      waiting = true
      let step = turn === null ? await next : await Promise.race([next, turn])
      if (step === null) {
        yield takeLines()
        step = await next
      }
      waiting = false
      if (step.done === true) break
      lines += lineOf(step.value)
      if (lines !== '') turn ??= setImmediate(null)
      if (lines.length >= pieceCharsMax) yield takeLines()
    }
  } catch (thrown) {
    waiting = false
    if (lines !== '') yield takeLines()
    throw thrown
  } finally {
    // A consumer that left does not wait for a value that may never come.
    const ended = iterator.return?.()
    if (waiting) ended?.catch(() => undefined)
    else await ended
  }
  if (lines !== '') yield takeLines()
}
