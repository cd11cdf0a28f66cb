// A line of `refs` and `refs/local`.
// Tested by src/kubo/commands/node/node-commands.test.ts
import { Fault } from '../../base/fault.ts'

/** `Err`: '' unless the walk ended there. */
export type ReferenceLine = { readonly Ref: string; readonly Err: string }

/** Throws `command_failed` for a line that is an error, because the text form has no field for it. */
export function referenceText(line: unknown): string {
  const { Ref, Err } = line as ReferenceLine
  if (Err !== '') throw new Fault('command_failed', { detail: Err })
  return `${Ref}\n`
}
