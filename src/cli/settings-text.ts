// Generates a settings file from the settings table: every setting with its description, defaults commented out, so that the file
// is also the documentation.
// Tested by src/cli/commands/init.test.ts
import type { SettingDefinition } from '../config/setting-definition.ts'

/** A network behind upstream nodes, from the answers of the dialogue. */
export type ChosenNetwork = {
  readonly name: string
  readonly chainId: number
  readonly urls: readonly string[]
}

/** `chosen`: path -> value, for settings that differ from the default. Returns YAML text for `start --config`. */
export function writeSettings(
  leaves: readonly SettingDefinition[],
  chosen: ReadonlyMap<string, unknown>,
  network: ChosenNetwork | null = null,
): string {
  const lines = [
    '# Settings of Cairn. A line that starts with # shows the default; remove the # to change it.',
    '# For secrets, use ${env:NAME} or ${file:/path}: Cairn inserts the variable or the file.',
  ]
  let sections: readonly string[] = []
  for (const leaf of leaves) {
    const path = leaf.path.split('.')
    const name = path.pop() ?? ''
    const known = path.findIndex((section, depth) => section !== sections[depth])
    const opened = known === -1 ? path.length : known
    if (path.length === 0 || opened === 0) lines.push('')
    for (const [depth, section] of path.entries()) {
      if (depth >= opened) lines.push(`${'  '.repeat(depth)}${section}:`)
    }
    sections = path
    const indent = '  '.repeat(path.length)
    const mark = chosen.has(leaf.path) ? '' : '# '
    const value = chosen.has(leaf.path) ? chosen.get(leaf.path) : leaf.initial
    lines.push(`${indent}# ${leaf.description}`)
    lines.push(`${indent}${mark}${name}: ${JSON.stringify(value)}`)
  }
  return `${[...lines, '', ...networkLines(network)].join('\n')}\n`
}

function networkLines(network: ChosenNetwork | null): readonly string[] {
  const mark = network === null ? '# ' : ''
  const { name, chainId, urls } = network ?? {
    name: 'mainnet',
    chainId: 1,
    urls: ['http://127.0.0.1:8545'],
  }
  return [
    '# Networks behind upstream nodes, the default first. Cairn then serves only these networks: to keep the',
    '# embedded chain, add - {name: dev, embedded: true}. All members: docs/reference/settings.md.',
    `${mark}networks:`,
    `${mark}  - name: ${JSON.stringify(name)}`,
    `${mark}    chainId: ${chainId}`,
    '#     verify: require',
    `${mark}    upstreams:`,
    ...urls.flatMap((url) => [
      `${mark}      - url: ${JSON.stringify(url)}`,
      '#         headers: {authorization: "${env:NODE_TOKEN}"}',
      '#         trusted: true',
    ]),
  ]
}
