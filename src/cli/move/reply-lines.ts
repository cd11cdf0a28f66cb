// Streams a reply that has one JSON object per line.
// Tested by src/cli/move/reply-lines.test.ts

const lineBytesMax = 1024 * 1024

/** Throws an Error for a line that is longer than 1 MiB or not a JSON object, and errors of `body`. */
export async function* replyLines(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineBytesMax) throw new Error('the reply has a line of more than 1 MiB')
    yield* lines.filter((line) => line !== '').map(objectOf)
  }
  if (rest !== '') yield objectOf(rest)
}

function objectOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new Error(`the reply has a line that is not a JSON object: ${line.slice(0, 100)}`)
}
