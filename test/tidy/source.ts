// Parses a source file for the checker of the house rules: its code without comments, and its imports.
// Tested by test/tidy/check.test.ts
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'

/** `path` is relative to `src/`, with slashes. */
export type SourceFile = { readonly path: string; readonly text: string }

export type Import = {
  readonly specifier: string
  readonly typeOnly: boolean
  /** Path below `src/` for relative imports, else null. */
  readonly target: string | null
}

const statements = /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'"`;=()]*?from\s*['"]([^'"]+)['"]/g
const bare = /(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g
const inline = /\bimport\(\s*['"]([^'"]+)['"]\s*\)(\.[A-Z])?/g

/** Every `.ts` file below `folder`, tests included. */
export function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

export function isTest(file: SourceFile): boolean {
  return file.path.endsWith('.test.ts')
}

/** Top folder below `src/`, `.` for files directly in it. */
export function folderOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '.') : '.'
}

/** Removes block comments, and comments that start a line or follow a space. */
export function codeOf(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

export function importsOf(file: SourceFile): readonly Import[] {
  const code = codeOf(file.text)
  const found = [
    ...[...code.matchAll(statements)].map((m) => ({ specifier: m[2] ?? '', typeOnly: !!m[1] })),
    ...[...code.matchAll(bare)].map((m) => ({ specifier: m[1] ?? '', typeOnly: false })),
    ...[...code.matchAll(inline)].map((m) => ({ specifier: m[1] ?? '', typeOnly: !!m[2] })),
  ]
  return found.map((one) => ({
    ...one,
    target: one.specifier.startsWith('.')
      ? normalize(join(dirname(file.path), one.specifier))
      : null,
  }))
}

/** Exported names, and whether each exists only for the type checker. */
export function exportsOf(file: SourceFile): readonly { name: string; typeOnly: boolean }[] {
  const pattern =
    /^export (?:declare |abstract |async )*(type|interface|const|let|function\*?|class) (\w+)/gm
  return [...codeOf(file.text).matchAll(pattern)].map((m) => ({
    name: m[2] ?? '',
    typeOnly: m[1] === 'type' || m[1] === 'interface',
  }))
}

/** True if nothing of the file exists at run time. */
export function isTypeOnly(file: SourceFile): boolean {
  return !/^(export )?(async )?(const|let|function\*?|class|abstract class) /m.test(
    codeOf(file.text),
  )
}
