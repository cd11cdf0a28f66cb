// A YAML settings file as a list of values with their lines. The parser is loaded only when there is a file.
// Tested by src/config/load.test.ts
import { readFile, stat } from 'node:fs/promises'
import type { Document } from 'yaml'
import { ConfigError } from './config-error.ts'

/** One leaf of the file: its path from the top, its value, the line of its key. */
export type FileValue = { readonly path: string; readonly value: unknown; readonly line: number }

const fileBytesMax = 1_048_576
const depthMax = 8
const aliasesMax = 100

/**
 * The leaves of the file, in its order. An empty section gives none. Throws ConfigError with `file:line`
 * when the file cannot be read, is no YAML, or is no mapping of names at the top.
 */
export async function readYamlFile(file: string): Promise<readonly FileValue[]> {
  const text = await readCapped(file)
  const { parseDocument, LineCounter, isMap, isScalar } = await import('yaml')
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
  const wrong = document.errors[0]
  if (wrong !== undefined) {
    throw new ConfigError(`${file}:${counter.linePos(wrong.pos[0]).line}: ${wrong.message}`)
  }
  if (document.contents === null) return []
  if (!isMap(document.contents)) {
    throw new ConfigError(`${file}:1: expected settings as "name: value" lines`)
  }
  return leavesOf(document.contents, '', 0)

  function leavesOf(node: unknown, prefix: string, depth: number): readonly FileValue[] {
    if (!isMap(node) || depth > depthMax) return []
    return node.items.flatMap((pair) => {
      const name = isScalar(pair.key) ? String(pair.key.value) : ''
      const path = prefix === '' ? name : `${prefix}.${name}`
      const start = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0
      if (isMap(pair.value) && pair.value.items.length > 0) {
        return leavesOf(pair.value, path, depth + 1)
      }
      return [{ path, value: plainValue(document, pair.value), line: counter.linePos(start).line }]
    })
  }
}

function plainValue(document: Document.Parsed, node: unknown): unknown {
  const given = node as { toJS?(document: Document.Parsed, options: object): unknown } | null
  return given?.toJS?.(document, { maxAliasCount: aliasesMax }) ?? null
}

async function readCapped(file: string): Promise<string> {
  try {
    if ((await stat(file)).size <= fileBytesMax) return await readFile(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`cannot read the settings file ${file}`, { cause: error })
  }
  throw new ConfigError(`the settings file ${file} is longer than ${fileBytesMax} bytes`)
}
