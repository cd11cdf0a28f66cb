// Wrong usage of a command: exit code 2. The message is one sentence.
// Tested by src/cli/program.test.ts

export class UsageError extends Error {
  override readonly name = 'UsageError'
}
