// Commands in help, hints and errors, in the form that works where the program runs: a checkout has no `cairn` on the PATH.
// Tested by src/cli/typed-command.test.ts
import type { Context } from './context.ts'

/** How npm runs the CLI of a checkout. */
export const checkoutInvocation = 'npm run -s cairn --'

export const commandNames = [
  'start',
  'init',
  'accounts',
  'keys',
  'card',
  'people',
  'audit',
  'alerts',
  'usage',
  'config',
  'doctor',
  'deny',
  'networks',
  'upstreams',
  'chain',
  'store',
  'gc',
  'backup',
  'restore',
  'add',
  'get',
  'import',
  'migrate',
  'migrate-from',
  'proof',
  'verify',
  'slot',
  'completion',
] as const

const command = new RegExp(`(?<![\\w./-])cairn (?=(?:${commandNames.join('|')})(?![\\w-]))`, 'g')

/** Rewrites `cairn keys create` as `npm run -s cairn -- keys create` in a checkout. Other uses of the word `cairn` stay. */
export function asTyped({ invocation }: Pick<Context, 'invocation'>, text: string): string {
  return invocation === undefined ? text : text.replaceAll(command, `${invocation} `)
}
