// The output of commands on each stream, and their exit codes.
// Tested by src/cli/program.test.ts
import { CommanderError } from 'commander'
import { AccountsRefusal } from '../access/accounts/account-rules.ts'
import { Fault } from '../base/fault.ts'
import { describeFileError } from '../base/describe-errno.ts'
import { ConfigError } from '../config/config-error.ts'
import { asTyped } from './typed-command.ts'
import type { Context } from './context.ts'
import { createPaint } from './terminal-colors.ts'
import { UsageError } from './usage-error.ts'

export const exitCodes = { done: 0, failed: 1, usage: 2 } as const

/** The command succeeded and printed its result, which is a problem: exit code 1 without a further message. */
export class FoundBad extends Error {
  override readonly name = 'FoundBad'
}

/** Prints one JSON object, or text for people. */
export function print(context: Context, json: boolean | undefined, value: object, text: string) {
  context.out(json === true ? `${JSON.stringify(value)}\n` : text === '' ? '' : `${text}\n`)
}

/** Rows below their headings, with columns as wide as their widest cell; `none` if there are no rows. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number | bigint | null)[])[],
  none: string,
): string {
  if (rows.length === 0) return none
  const cells = [headings, ...rows.map((row) => row.map((cell) => visible(String(cell ?? '-'))))]
  const widths = headings.map((_, column) =>
    Math.max(...cells.map((row) => (row[column] ?? '').length)),
  )
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Escapes control characters as `\xNN`, so that a name cannot control the terminal. */
export function visible(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
    /[\u0000-\u001f\u007f-\u009f]/g,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

/** Prints the reason of the failure on standard error and returns the exit code. */
export function reportError(context: Context, json: boolean, thrown: unknown): number {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.done
  if (thrown instanceof FoundBad) return exitCodes.failed
  const wrongUse = thrown instanceof CommanderError || thrown instanceof UsageError
  const message = asTyped(context, visible(describe(thrown)))
  context.err(`${createPaint(context, 'err')('red', 'cairn:')} ${message}\n`)
  if (json)
    context.err(`${JSON.stringify({ error: { code: codeOf(thrown, wrongUse), message } })}\n`)
  return wrongUse ? exitCodes.usage : exitCodes.failed
}

function codeOf(thrown: unknown, wrongUse: boolean): string {
  if (wrongUse) return 'usage'
  if (thrown instanceof ConfigError) return 'config'
  if (thrown instanceof AccountsRefusal) return thrown.reason
  return thrown instanceof Fault ? thrown.code : 'failed'
}

function describe(thrown: unknown): string {
  if (thrown instanceof CommanderError) {
    if (thrown.code === 'commander.help') return 'no command: see --help'
    return thrown.message.replace(/^error: /, '').replaceAll(/\s+/g, ' ')
  }
  return describeFileError(thrown)
}
