// Everything that a command uses of the process, so that tests can run commands without one.
import type { Places } from '../config/load.ts'
import type { Prompts } from './prompts.ts'

export type Context = {
  /** Standard output: only the result. */
  readonly out: (text: string) => void
  /** Standard output for a log: resolves when the text is written. If absent, the log is discarded. */
  readonly writeOut?: (text: string) => Promise<void>
  /** Standard error: everything else. */
  readonly err: (text: string) => void
  /** Standard input to its end, as text; at most 64 KiB. */
  readonly readInput: () => Promise<string>
  readonly env: Places['env']
  /** The command to type instead of `cairn`; undefined = `cairn`. */
  readonly invocation?: string
  /** Which streams are terminals; undefined = none. */
  readonly terminal?: { readonly out: boolean; readonly err: boolean }
  /** Opens a dialogue on the terminal; undefined = standard input is not a terminal. */
  readonly openQuestions?: () => Prompts
}

/** The options of every command. */
export type SharedOptions = {
  readonly config?: string
  readonly dataDir?: string
  readonly json?: true
}
