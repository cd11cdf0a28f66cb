// What a command may touch of the process, so that commands can be tried without one.
import type { Places } from '../config/load.ts'
import type { Prompts } from './prompts.ts'

export type Context = {
  /** Standard output: what was asked for, nothing else. */
  readonly out: (text: string) => void
  /** Standard output, for a log: resolves when the text is written. Absent: such a log is discarded. */
  readonly writeOut?: (text: string) => Promise<void>
  /** Standard error: everything else. */
  readonly err: (text: string) => void
  /** Standard input to its end, as text; at most 64 KiB. */
  readonly readInput: () => Promise<string>
  readonly env: Places['env']
  /** What a person types in place of `cairn`; undefined = `cairn`. */
  readonly invocation?: string
  /** Which streams a person sits at; undefined = none. */
  readonly terminal?: { readonly out: boolean; readonly err: boolean }
  /** Opens a dialogue with the person at the terminal; undefined = standard input is no terminal. */
  readonly openQuestions?: () => Prompts
}

/** The options that every command understands. */
export type SharedOptions = {
  readonly config?: string
  readonly dataDir?: string
  readonly json?: true
}
