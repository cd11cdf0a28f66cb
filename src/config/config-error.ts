// Invalid settings: reports all issues together, so that the operator can fix them in one pass.
// Tested by src/config/load.test.ts
import type { ConfigIssue } from './config-issue.ts'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** Contains at least one issue. */
  readonly mistakes: readonly ConfigIssue[]

  /** The message is the text of the first issue, with the number of further ones. */
  constructor(mistakes: readonly [ConfigIssue, ...ConfigIssue[]], options?: ErrorOptions) {
    const [first, ...others] = mistakes
    const more = others.length === 0 ? '' : ` (and ${others.length} more: see cairn config check)`
    super(first.text + more, options)
    this.mistakes = mistakes
  }
}

/** Throws ConfigError if there are issues. */
export function refuse(mistakes: readonly ConfigIssue[]): void {
  const [first, ...others] = mistakes
  if (first !== undefined) throw new ConfigError([first, ...others])
}
