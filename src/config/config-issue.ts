// One issue with the settings: its place, the problem and the fix. It never contains a secret's value.
// Tested by src/config/load.test.ts
import { findNearest } from '../base/similar-name.ts'

export type ConfigIssue = {
  /** Stable name, for programs. */
  readonly code: 'unknown_setting' | 'wrong_setting' | 'tabs' | 'settings_unreadable'
  /** One sentence without a full stop; the place, if known, comes first: `cairn.yaml:3: …`. */
  readonly text: string
  /** The line to write and its place, or a command. */
  readonly fix: string
}

/** `where`: `cairn.yaml:3`, `CAIRN_HTTP_PORT`, `--port`. The default fix is to correct that place. */
export function wrongAt(
  where: string,
  message: string,
  fix = `correct ${placeOf(where)}`,
): ConfigIssue {
  return { code: 'wrong_setting', text: `${where}: ${message}`, fix }
}

/** An unknown name. The text and the fix suggest the closest of `known`, if one is close. */
export function unknownName(written: string, where: string, known: readonly string[]): ConfigIssue {
  const name = nameShown(written)
  const nearest = findNearest(name, known)
  const isVariable = where === written
  if (nearest === null) {
    const text = `"${name}" is not a setting`
    return {
      code: 'unknown_setting',
      text: isVariable ? text : `${where}: ${text}`,
      fix: isVariable
        ? `unset ${name}`
        : `remove it from ${placeOf(where)}; docs/reference/settings.md has every setting`,
    }
  }
  const message = `"${name}" is not a setting, did you mean "${nearest}"?`
  return {
    code: 'unknown_setting',
    text: isVariable ? message : `${where}: ${message}`,
    fix: isVariable
      ? `rename the variable: export ${nearest}="$${name}"; unset ${name}`
      : `write ${nearest} in ${placeOf(where)}`,
  }
}

/** A fix that is a line to write. Environment variables have no lines. */
export function fixLine(where: string, line: string): string {
  const place = placeOf(where)
  return place === where
    ? `correct ${where}`
    : `write ${line.includes('"') ? line : `"${line}"`} in ${place}`
}

/** Issues in the order of the file's lines; issues without a line come first. */
export function inOrder(mistakes: readonly ConfigIssue[]): readonly ConfigIssue[] {
  const lineOf = ({ text }: ConfigIssue) => Number(/^[^:]*:(\d+): /.exec(text)?.[1] ?? 0)
  return mistakes.toSorted((a, b) => lineOf(a) - lineOf(b))
}

/** `cairn.yaml:3` -> `line 3 of cairn.yaml`. */
export function placeOf(where: string): string {
  const [, file, line] = /^(.*):(\d+)$/.exec(where) ?? []
  return file === undefined || line === undefined ? where : `line ${line} of ${file}`
}

/** Without the space after the colon, YAML parses `url:https://…` as a name, which may contain a key. */
export function nameShown(written: string): string {
  return written.replace(/:.*$/s, ':…')
}
