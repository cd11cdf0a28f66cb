// The Accept header as a list of media types, the preferred first (RFC 9110 12.5.1). Pure.
// Tested by src/http/accept-header.test.ts

/** `type` and names of parameters in lower case; `q` is not among the parameters. */
export type AcceptedType = {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

const typesMax = 64

/** Omits types that are refused (`q=0`) or malformed. Types of equal quality keep their order. */
export function parseAccept(header: string | undefined): readonly AcceptedType[] {
  if (header === undefined) return []
  return splitOutsideQuotes(header, ',')
    .slice(0, typesMax)
    .flatMap((text): AcceptedType[] => {
      const [type = '', ...rest] = splitOutsideQuotes(text, ';').map((part) => part.trim())
      if (!/^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(type)) return []
      const parameters = new Map<string, string>()
      for (const part of rest) {
        const [, name, value] = /^([^\s=]+)\s*=\s*(.*)$/.exec(part) ?? []
        if (name !== undefined && value !== undefined) {
          parameters.set(name.toLowerCase(), unquoted(value))
        }
      }
      const quality = Number(parameters.get('q') ?? '1')
      parameters.delete('q')
      if (!(quality > 0)) return []
      return [{ type: type.toLowerCase(), parameters, quality: Math.min(quality, 1) }]
    })
    .toSorted((one, other) => other.quality - one.quality)
}

/** Linear in the length of `text`. */
export function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (quoted && character === '\\') at += 1
    else if (character === '"') quoted = !quoted
    else if (character === separator && !quoted) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}

function unquoted(value: string): string {
  const [, inside] = /^"(.*)"$/s.exec(value) ?? []
  return inside === undefined ? value : inside.replaceAll(/\\(.)/gs, '$1')
}
