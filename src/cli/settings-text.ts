// A settings file made from the settings table: every setting with what it means, those that keep their
// default commented out, so that the file is the documentation too.
// Tested by src/cli/init.test.ts
import type { Leaf } from '../config/leaf.ts'

/** `chosen`: path -> value, for what differs from the default. Text of a YAML file that `start --config` takes. */
export function writeSettings(
  leaves: readonly Leaf[],
  chosen: ReadonlyMap<string, unknown>,
): string {
  const lines = [
    '# Settings of Cairn. A line with # before its name shows the default; take the # away to change it.',
    '# Secrets need not stand here: ${env:NAME} and ${file:/path} are replaced by what they name.',
  ]
  let section = ''
  for (const leaf of leaves) {
    const [first = '', ...rest] = leaf.path.split('.')
    const inSection = rest.length > 0
    if (inSection && first !== section) lines.push('', `${first}:`)
    section = inSection ? first : ''
    const indent = '  '.repeat(rest.length)
    const name = rest.at(-1) ?? first
    const mark = chosen.has(leaf.path) ? '' : '# '
    const value = chosen.has(leaf.path) ? chosen.get(leaf.path) : leaf.initial
    if (!inSection) lines.push('')
    lines.push(`${indent}# ${leaf.description}`)
    lines.push(`${indent}${mark}${name}: ${JSON.stringify(value)}`)
  }
  return `${lines.join('\n')}\n`
}
