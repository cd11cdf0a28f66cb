// `{"<name>":{"<key>":…,…}}` of very many entries as pieces of bytes, for what is too large to be made in one go.
// Tested by src/kubo/keyed-object.test.ts
import { setImmediate } from 'node:timers/promises'
import { kuboLine } from '../codec/go-json.ts'

/** About as much is made before other work has its turn. */
const pieceCharsMax = 64 * 1024

/** One line, its line feed included; `{}` when there are no entries. Keys are to be distinct. */
export async function keyedObject(
  name: string,
  entries: Iterable<readonly [string, unknown]>,
): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  let text = ''
  let some = false
  for (const [key, value] of entries) {
    text += some ? ',' : `{${bare(name)}:{`
    some = true
    text += `${bare(key)}:${bare(value)}`
    if (text.length < pieceCharsMax) continue
    pieces.push(Buffer.from(text))
    text = ''
    await setImmediate()
  }
  pieces.push(Buffer.from(some ? `${text}}}\n` : '{}\n'))
  return pieces
}

/** The same entries as text, one after another: `lineOf` is given `[key, value]`. */
export async function keyedText(
  entries: Iterable<readonly [string, unknown]>,
  lineOf: (entry: unknown) => string,
): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  let text = ''
  for (const entry of entries) {
    text += lineOf(entry)
    if (text.length < pieceCharsMax) continue
    pieces.push(Buffer.from(text))
    text = ''
    await setImmediate()
  }
  if (text !== '') pieces.push(Buffer.from(text))
  return pieces
}

function bare(value: unknown): string {
  return kuboLine(value).slice(0, -1)
}
