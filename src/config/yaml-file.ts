// A YAML settings file as a list of values with their lines. The parser is loaded only if a file exists.
// Tested by src/config/load.test.ts
import { readFile, stat } from 'node:fs/promises'
import type { Document } from 'yaml'
import { describeErrno } from '../base/describe-errno.ts'
import { ConfigError } from './config-error.ts'
import { type ConfigIssue, wrongAt } from './config-issue.ts'

/** One value of the file: its path from the top, its value, the line of its key. */
export type FileValue = {
  readonly path: string
  readonly value: unknown
  readonly line: number
  /** Of a list: path below it (`0.upstreams.1.url`) -> line. */
  readonly lines: ReadonlyMap<string, number>
}

const fileBytesMax = 1_048_576
const depthMax = 8
const aliasesMax = 100
/** Maximum number of reported issues of one file. */
const mistakesMax = 50

/**
 * The values of the file, in its order; a list is one value. An empty section has none. Throws ConfigError with
 * `file:line` if the file cannot be read, is not YAML, or is not a mapping at the top.
 */
export async function readYamlFile(file: string): Promise<readonly FileValue[]> {
  const text = await readCapped(file)
  const { parseDocument, LineCounter, isMap, isScalar, isSeq } = await import('yaml')
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
  const wrong = document.errors.slice(0, mistakesMax).map(({ pos, message }) => {
    const { line } = counter.linePos(pos[0])
    return notYaml(file, line, message)
  })
  const [first, ...others] = wrong
  if (first !== undefined) throw new ConfigError([first, ...others])
  if (document.contents === null) return []
  if (!isMap(document.contents)) {
    throw new ConfigError([wrongAt(`${file}:1`, 'expected settings as "name: value" lines')])
  }
  return leavesOf(document.contents, '', 0)

  function lineOf(node: unknown): number {
    const range = (node as { range?: readonly number[] | null } | null)?.range
    return counter.linePos(range?.[0] ?? 0).line
  }

  function leavesOf(node: unknown, prefix: string, depth: number): readonly FileValue[] {
    if (!isMap(node) || depth > depthMax) return []
    return node.items.flatMap((pair) => {
      const name = isScalar(pair.key) ? String(pair.key.value) : ''
      const path = prefix === '' ? name : `${prefix}.${name}`
      if (isMap(pair.value) && pair.value.items.length > 0) {
        return leavesOf(pair.value, path, depth + 1)
      }
      const lines = new Map<string, number>()
      if (isSeq(pair.value)) noteLines(pair.value, [], lines)
      const value = plainValue(document, pair.value)
      return [{ path, value, line: lineOf(pair.key), lines }]
    })
  }

  function noteLines(node: unknown, path: readonly string[], lines: Map<string, number>): void {
    if (path.length > depthMax) return
    const note = (name: string, at: unknown, value: unknown) => {
      const inner = [...path, name]
      lines.set(inner.join('.'), lineOf(at))
      noteLines(value, inner, lines)
    }
    if (isSeq(node)) for (const [index, item] of node.items.entries()) note(`${index}`, item, item)
    if (!isMap(node)) return
    for (const { key, value } of node.items) {
      if (isScalar(key)) note(String(key.value), key, value)
    }
  }
}

function notYaml(file: string, line: number, message: string): ConfigIssue {
  if (message.startsWith('Map keys must be unique')) {
    const fix = `put what is below it to the first one, and take line ${line} of ${file} out`
    return wrongAt(`${file}:${line}`, 'this name is in the section already', fix)
  }
  const mistake = wrongAt(`${file}:${line}`, message)
  if (!/tabs?\b/i.test(message)) return mistake
  return { ...mistake, code: 'tabs', fix: `sed -i 's/\\t/  /g' ${file}` }
}

function plainValue(document: Document.Parsed, node: unknown): unknown {
  const given = node as { toJS?(document: Document.Parsed, options: object): unknown } | null
  return given?.toJS?.(document, { maxAliasCount: aliasesMax }) ?? null
}

async function readCapped(file: string): Promise<string> {
  const fix = 'cairn init, or name the right file with --config'
  const unreadable = (text: string): ConfigIssue => ({ code: 'settings_unreadable', text, fix })
  try {
    if ((await stat(file)).size <= fileBytesMax) return await readFile(file, 'utf8')
  } catch (error) {
    const text = `cannot read the settings file ${file}: ${describeErrno(error)}`
    throw new ConfigError([unreadable(text)], { cause: error })
  }
  const text = `the settings file ${file} is longer than ${fileBytesMax} bytes`
  throw new ConfigError([unreadable(text)])
}
