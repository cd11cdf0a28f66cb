// Settings that cannot be used: everything that is wrong with them, so that they can be fixed together.
// Tested by src/config/load.test.ts
import type { ConfigIssue } from './config-issue.ts'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** At least one. */
  readonly mistakes: readonly ConfigIssue[]

  /** The message is the first mistake's sentence, with the number of the others. */
  constructor(mistakes: readonly [ConfigIssue, ...ConfigIssue[]], options?: ErrorOptions) {
    const [first, ...others] = mistakes
    const more = others.length === 0 ? '' : ` (and ${others.length} more: see cairn config check)`
    super(first.text + more, options)
    this.mistakes = mistakes
  }
}

/** Throws ConfigError when there are any. */
export function refuse(mistakes: readonly ConfigIssue[]): void {
  const [first, ...others] = mistakes
  if (first !== undefined) throw new ConfigError([first, ...others])
}
