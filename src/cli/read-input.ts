// Reads standard input to its end.
// Tested by src/cli/program.test.ts
import { UsageError } from './usage-error.ts'

const inputBytesMax = 65_536

/** Returns the input as UTF-8 text. Throws UsageError past 64 KiB. */
export async function readAll(input: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
    length += bytes.length
    if (length > inputBytesMax)
      throw new UsageError(`the input is larger than ${inputBytesMax} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}
