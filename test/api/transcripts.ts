// The recorded request/response files (`.io`) of the vectors: `// ` comment, `>> ` request, `<< ` response.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Transcript = {
  /** `<method>/<name>` */
  readonly name: string
  readonly method: string
  /** Only the structure of the reply is fixed, not its values. */
  readonly shapeOnly: boolean
  /** One line of JSON each. */
  readonly request: string
  readonly response: string
}

/** All transcripts in `folder`, sorted by name. */
export function readTranscripts(folder: string): readonly Transcript[] {
  const methods = readdirSync(folder, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  return methods
    .flatMap((method) =>
      readdirSync(join(folder, method.name))
        .filter((file) => file.endsWith('.io'))
        .flatMap((file) => {
          const name = `${method.name}/${file.slice(0, -3)}`
          return parseTranscripts(name, readFileSync(join(folder, method.name, file), 'utf8'))
        }),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function parseTranscripts(name: string, text: string): readonly Transcript[] {
  const lines = text.split('\n')
  const shapeOnly = lines.some((line) => line.startsWith('// speconly:'))
  const requests = lines.filter((line) => line.startsWith('>> ')).map((line) => line.slice(3))
  const responses = lines.filter((line) => line.startsWith('<< ')).map((line) => line.slice(3))
  const method = name.split('/')[0] ?? ''
  return requests.map((request, index) => {
    const response = responses[index]
    if (response === undefined) throw new TypeError(`${name}: a request without a response`)
    return { name, method, shapeOnly, request, response }
  })
}
