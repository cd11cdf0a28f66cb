// What doctor finds: one sentence and a fix.
// Tested by src/cli/doctor/doctor.test.ts

import type { Config } from '../../config/settings.ts'

export type Problem = {
  /** Stable name for programs, `snake_case`. */
  readonly code: string
  /** `problem`: something does not work or is unsafe, exit code 1. `warning`: it works, and could be better. */
  readonly level: 'problem' | 'warning'
  /** One sentence without a full stop. */
  readonly text: string
  /** A command, or a line of the settings file. */
  readonly fix: string
}

export function problem(code: string, text: string, fix: string): Problem {
  return { code, level: 'problem', text, fix }
}

export function warning(code: string, text: string, fix: string): Problem {
  return { code, level: 'warning', text, fix }
}

/** A command line of Cairn with the flags that lead to the same settings. */
export type CommandLine = (command: string) => string

/** The line that gives the embedded chain a setting: `mining: interval`. */
export function chainLine({ networks }: Pick<Config, 'networks'>, setting: string): string {
  return networks === null ? `chain: {${setting}}` : `- {name: …, embedded: true, ${setting}}`
}
