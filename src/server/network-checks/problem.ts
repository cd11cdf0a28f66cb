// A finding of doctor: one sentence and a fix.
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

/** Builds a command line of Cairn with the flags that select the same settings. */
export type CommandLine = (command: string) => string

/** Describes the settings line of the embedded chain, such as `mining: interval`. */
export function chainLine({ networks }: Pick<Config, 'networks'>, setting: string): string {
  return networks === null ? `chain: {${setting}}` : `- {name: …, embedded: true, ${setting}}`
}
